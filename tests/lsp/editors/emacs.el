;; Opens a file in a real Emacs with stalwart.el, waits for what a person would see, and writes it
;; as JSON: STALWART_TEST is {setup, cmd, file, hover: [line, column], answer}.
(require 'json)
(require 'flymake)

(let* ((json-object-type 'plist)
       (json-array-type 'list)
       (test (json-read-from-string (getenv "STALWART_TEST")))
       (patience 60)
       (start (float-time)))
  (load (plist-get test :setup) nil t)
  (setq stalwart-command (plist-get test :cmd))
  (setq eglot-sync-connect t
        eglot-autoshutdown nil)
  (find-file (plist-get test :file))
  ;; In batch no command ends, which is what eglot-ensure waits for.
  (run-hooks 'post-command-hook)
  (let ((server (eglot-current-server))
        (flymake-start-on-flymake-mode nil))
    (unless server
      (error "No server for %s" major-mode))
    (flymake-start)
    (while (and (null (flymake-diagnostics))
                (< (- (float-time) start) patience))
      (accept-process-output nil 0.05)
      (flymake-start))
    (let* ((place (plist-get test :hover))
           (hover (jsonrpc-request
                   server :textDocument/hover
                   (list :textDocument (eglot--TextDocumentIdentifier)
                         :position (list :line (car place) :character (cadr place)))))
           (answer
            (list :mode (symbol-name major-mode)
                  :language (plist-get (eglot--TextDocumentItem) :languageId)
                  :diagnostics
                  (vconcat
                   (mapcar (lambda (one)
                             (list :line (1- (line-number-at-pos (flymake-diagnostic-beg one)))
                                   :text (flymake-diagnostic-text one)))
                           (flymake-diagnostics)))
                  :hover (or (plist-get (plist-get hover :contents) :value) :json-false))))
      (with-temp-file (plist-get test :answer)
        (insert (json-encode answer)))
      (ignore-errors (eglot-shutdown server)))))
