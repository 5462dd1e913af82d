-- Opens FILE in a real Neovim with stalwart.lua, waits for what a person would see, and writes it
-- to ANSWER as JSON: STALWART_TEST is {setup, cmd, file, hover: [line, column], answer}.
local test = vim.json and vim.json.decode(vim.env.STALWART_TEST) or vim.fn.json_decode(vim.env.STALWART_TEST)
local patience = 60000

local function finish(answer)
  local file = assert(io.open(test.answer, "w"))
  file:write(vim.fn.json_encode(answer))
  file:close()
  vim.cmd("qall!")
end

vim.g.stalwart = { cmd = test.cmd }
vim.cmd("source " .. vim.fn.fnameescape(test.setup))
vim.cmd("edit " .. vim.fn.fnameescape(test.file))

local said = {}
local shown = vim.wait(patience, function()
  said = vim.diagnostic.get(0)
  return #said > 0
end, 20)
if not shown then
  finish({ failed = "no diagnostics", filetype = vim.bo.filetype })
  return
end

local line, column = unpack(test.hover)
local hover
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", {
  textDocument = { uri = vim.uri_from_bufnr(0) },
  position = { line = line, character = column },
}, patience)
for _, answer in pairs(answers or {}) do
  hover = answer.result and answer.result.contents or hover
end

local diagnostics = {}
for _, one in ipairs(said) do
  table.insert(diagnostics, { code = one.code, line = one.lnum, column = one.col, source = one.source })
end
local commands = vim.tbl_keys(vim.api.nvim_buf_get_commands(0, {}))
finish({
  filetype = vim.bo.filetype,
  diagnostics = diagnostics,
  hover = hover,
  commands = commands,
  hints = vim.lsp.inlay_hint ~= nil and vim.lsp.inlay_hint.is_enabled({ bufnr = 0 }),
})
