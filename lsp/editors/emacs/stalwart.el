;;; stalwart.el --- Vocabularies, agent files and traces of stalwart-lang  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1") (eglot "1.9"))

;;; Commentary:

;; Modes for the files of stalwart-lang, served by `stalwart lsp' through Eglot.  In your init file:
;;
;;   (load "/path/to/stalwart.el")
;;
;; The settings are those of Eglot:
;;
;;   (setq-default eglot-workspace-configuration
;;                 '(:stalwart (:language "pt-BR" :traces ["runs/**/*.jsonl"])))

;;; Code:

(require 'eglot)

(defgroup stalwart nil
  "Vocabularies, agent files and traces of stalwart-lang."
  :group 'languages)

(defcustom stalwart-command '("stalwart" "lsp")
  "The command that starts the server."
  :type '(repeat string))

(defvar stalwart-mode-font-lock
  '(("#.*$" . font-lock-comment-face)
    ("{\\([^{}:, \n]+\\)}" 1 font-lock-variable-name-face)
    ("^[ ]*\\(?:- \\)?\\([^][{}#:,\"'\n]+\\):\\(?:[ ]\\|$\\)" 1 font-lock-keyword-face)
    ("\\([A-Za-z][[:alnum:]_-]*\\):[ ]" 1 font-lock-keyword-face))
  "What stands out in a vocabulary: comments, keys, the slots of phrases.")

;;;###autoload
(define-derived-mode stalwart-mode text-mode "Stalwart"
  "Mode for vocabularies."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+[ ]*")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(stalwart-mode-font-lock))
  (eglot-ensure))

;;;###autoload
(define-derived-mode stalwart-agent-mode stalwart-mode "Stalwart agent"
  "Mode for agent files.")

;;;###autoload
(define-derived-mode stalwart-trace-mode text-mode "Stalwart trace"
  "Mode for recorded runs."
  (setq-local truncate-lines t)
  (eglot-ensure))

(defconst stalwart--span
  "[[:space:]]*{[[:space:]]*\"\\(?:type\"[[:space:]]*:[[:space:]]*\"\\(?:span\\|start\\)\"\\|resourceSpans\"[[:space:]]*:\\)"
  "What a trace begins with.")

(defun stalwart--named (&rest endings)
  "Whether the name of the file that is visited ends in one of ENDINGS."
  (and buffer-file-name
       (string-match-p (concat (regexp-opt endings) "\\'") buffer-file-name)))

(defun stalwart--has (key)
  "Whether the head of the buffer has KEY at the left margin."
  (save-excursion
    (goto-char (point-min))
    (let ((case-fold-search nil))
      (re-search-forward (concat "^[\"']?" key "[\"']?[ ]*:") (min 16384 (point-max)) t))))

(defun stalwart--yaml-p ()
  "Whether the buffer is a YAML file of any kind."
  (stalwart--named ".yaml" ".yml"))

(defun stalwart--trace-p ()
  "Whether the buffer is a trace."
  (and (stalwart--named ".jsonl")
       (save-excursion (goto-char (point-min)) (looking-at-p stalwart--span))))

(defun stalwart--agent-p ()
  "Whether the buffer is an agent file."
  (and (stalwart--yaml-p)
       (or (stalwart--named "/agent.yaml" "/agent.yml" ".agent.yaml" ".agent.yml")
           (and (stalwart--has "vocabulary") (stalwart--has "agents")))))

(defun stalwart--vocabulary-p ()
  "Whether the buffer is a vocabulary."
  (and (stalwart--yaml-p)
       (or (stalwart--named "/vocabulary.yaml" "/vocabulary.yml"
                            ".vocabulary.yaml" ".vocabulary.yml")
           (string-match-p "/vocabularies/" buffer-file-name)
           (stalwart--has "vocabulary"))))

;; Before what the name says, so that yaml-mode and its server leave them alone.
(add-to-list 'magic-mode-alist '(stalwart--vocabulary-p . stalwart-mode))
(add-to-list 'magic-mode-alist '(stalwart--agent-p . stalwart-agent-mode))
(add-to-list 'magic-mode-alist '(stalwart--trace-p . stalwart-trace-mode))

(defun stalwart--contact (&rest _)
  "What Eglot starts."
  (unless (executable-find (car stalwart-command))
    (user-error "%s was not found; see `stalwart-command'" (car stalwart-command)))
  stalwart-command)

(add-to-list 'eglot-server-programs
             '((stalwart-mode stalwart-agent-mode stalwart-trace-mode) . stalwart--contact))
(put 'stalwart-mode 'eglot-language-id "stalwart")
(put 'stalwart-agent-mode 'eglot-language-id "stalwart-agent")
(put 'stalwart-trace-mode 'eglot-language-id "stalwart-trace")

(defun stalwart--ask (command &rest arguments)
  "Have the server carry out COMMAND with ARGUMENTS."
  (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                   (list :command command :arguments (vconcat arguments))))

(defun stalwart-try-turn (turn)
  "Read TURN with the vocabulary of this buffer; without one, add an entry to type it in."
  (interactive "sA turn: ")
  (stalwart--ask "stalwart.tryTurn" (eglot--path-to-uri buffer-file-name) nil
                 (unless (string= turn "") turn)))

(defun stalwart-open-timeline ()
  "Open the timeline of the trace in this buffer."
  (interactive)
  (stalwart--ask "stalwart.openTimeline" (eglot--path-to-uri buffer-file-name) ""))

(provide 'stalwart)
;;; stalwart.el ends here
