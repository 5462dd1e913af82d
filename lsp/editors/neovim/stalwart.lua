-- Stalwart in Neovim: vocabularies, agent files and traces. Put this file into the folder
-- `plugin` of your configuration. What may be set, in init.lua, before it is read:
--
--   vim.g.stalwart = {
--     cmd = { "stalwart", "lsp" },
--     settings = { traces = { "runs/**/*.jsonl" }, language = "pt-BR" },
--   }
--
-- From Neovim 0.11 on it is a configuration of vim.lsp, `stalwart`; 0.7 to 0.10 are served too.

local options = vim.g.stalwart or {}
local command = options.cmd or { "stalwart", "lsp" }
local settings = { stalwart = options.settings or vim.empty_dict() }

-- Compound filetypes: the syntax is YAML's or JSON's, but their own servers do not double ours.
local languages = {
  ["yaml.stalwart"] = "stalwart",
  ["yaml.stalwart-agent"] = "stalwart-agent",
  ["json.stalwart-trace"] = "stalwart-trace",
}
local filetypes = vim.tbl_keys(languages)
local head = 400 -- lines that are looked at to tell what a file is

local function has(lines, key)
  for _, line in ipairs(lines) do
    if line:find("^[\"']?" .. key .. "[\"']? *:") then
      return true
    end
  end
  return false
end

local function filetype_of(buffer)
  local path = vim.api.nvim_buf_get_name(buffer):gsub("\\", "/")
  local name = path:match("[^/]*$")
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, head, false)
  if name:find("%.jsonl$") then
    local first = lines[1] or ""
    local span = first:find('^%s*{%s*"type"%s*:%s*"span"') or first:find('^%s*{%s*"type"%s*:%s*"start"')
    if span or first:find('^%s*{%s*"resourceSpans"%s*:') then
      return "json.stalwart-trace"
    end
    return nil
  end
  local base = name:gsub("%.ya?ml$", "")
  if base == "agent" or base:find("%.agent$") or (has(lines, "vocabulary") and has(lines, "agents")) then
    return "yaml.stalwart-agent"
  end
  if
    base == "vocabulary"
    or base:find("%.vocabulary$")
    or path:find("/vocabularies/")
    or has(lines, "vocabulary")
  then
    return "yaml.stalwart"
  end
end

local function ask(name, arguments)
  local request = { command = name, arguments = arguments }
  vim.lsp.buf_request(0, "workspace/executeCommand", request, function(failed)
    if failed then
      vim.notify("stalwart: " .. failed.message, vim.log.levels.ERROR)
    end
  end)
end

local function on_attach(_, buffer)
  local uri = vim.uri_from_bufnr(buffer)
  local function add(name, run, given)
    if vim.api.nvim_buf_create_user_command then
      vim.api.nvim_buf_create_user_command(buffer, name, run, given)
    end
  end
  add("StalwartTry", function(called)
    local turn = called.args ~= "" and called.args or vim.NIL
    ask("stalwart.tryTurn", { uri, options.settings and options.settings.language or vim.NIL, turn })
  end, { nargs = "*", desc = "Read a turn with this vocabulary, or add one to type" })
  add("StalwartTimeline", function()
    ask("stalwart.openTimeline", { uri, "" })
  end, { desc = "Open the timeline of this trace" })
  if vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  else
    vim.lsp.codelens.refresh()
    vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, {
      buffer = buffer,
      callback = function()
        vim.lsp.codelens.refresh()
      end,
    })
  end
end

local configuration = {
  name = "stalwart",
  cmd = command,
  settings = settings,
  on_attach = on_attach,
  get_language_id = function(_, filetype)
    return languages[filetype] or filetype
  end,
}

if vim.lsp.config then
  vim.lsp.config("stalwart", vim.tbl_extend("force", configuration, {
    filetypes = filetypes,
    root_markers = { ".git", "agent.yaml", "pyproject.toml" },
  }))
  vim.lsp.enable("stalwart")
else
  local clients = {}

  local function root_of(path)
    local up = vim.fn.fnamemodify(path, ":p:h") .. ";"
    local found = vim.fn.finddir(".git", up)
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:h:h")
    end
    for _, marker in ipairs({ "agent.yaml", "pyproject.toml" }) do
      found = vim.fn.findfile(marker, up)
      if found ~= "" then
        return vim.fn.fnamemodify(found, ":p:h")
      end
    end
    return vim.fn.fnamemodify(path, ":p:h")
  end

  vim.api.nvim_create_autocmd("FileType", {
    pattern = filetypes,
    callback = function(event)
      if vim.fn.executable(command[1]) == 0 then
        vim.notify_once("stalwart: " .. command[1] .. " was not found; set vim.g.stalwart.cmd", vim.log.levels.WARN)
        return
      end
      local root = root_of(vim.api.nvim_buf_get_name(event.buf))
      if not clients[root] or vim.lsp.client_is_stopped(clients[root]) then
        clients[root] = vim.lsp.start_client(vim.tbl_extend("force", configuration, {
          root_dir = root,
          workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
        }))
      end
      vim.lsp.buf_attach_client(event.buf, clients[root])
    end,
  })
end

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile", "BufWritePost" }, {
  pattern = { "*.yaml", "*.yml", "*.jsonl" },
  callback = function(event)
    local filetype = filetype_of(event.buf)
    if filetype and vim.bo[event.buf].filetype ~= filetype then
      vim.bo[event.buf].filetype = filetype
    end
  end,
})

if vim.treesitter.language and vim.treesitter.language.register then
  vim.treesitter.language.register("yaml", { "yaml.stalwart", "yaml.stalwart-agent" })
  vim.treesitter.language.register("json", { "json.stalwart-trace" })
end
