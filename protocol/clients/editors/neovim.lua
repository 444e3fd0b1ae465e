-- checkpointd in Neovim (0.7 and later). Put this file on your runtimepath as lua/checkpointd.lua, then:
--
--   local checkpoints = require('checkpointd').start({ workspace = vim.fn.getcwd() })
--   checkpoints:create({ kind = 'turn', message = 'before the agent' })
--   checkpoints:restore({ tag = '1', mode = 'hard' })
--
-- Neovim's own LSP client starts the daemon, speaks with it, and shuts it down with the editor.
local M = {}

local Checkpoints = {}
Checkpoints.__index = Checkpoints

--- Starts the daemon and opens a session. options: workspace; cmd, session (more of session/open), on_progress.
function M.start(options)
  local self = setmetatable({}, Checkpoints)
  self.id = vim.lsp.start_client({
    name = 'checkpointd',
    cmd = options.cmd or { 'checkpointd' },
    root_dir = options.workspace,
    capabilities = { checkpointd = { events = { 'checkpoint/didCreate', 'checkpoint/didRestore' } } },
    handlers = {
      ['$/progress'] = function(_, progress)
        if options.on_progress then options.on_progress(progress.value) end
      end,
      ['checkpoint/didCreate'] = function(_, event) vim.g.checkpointd_last = event.checkpoint.tag end,
      ['checkpoint/didRestore'] = function() vim.cmd('checktime') end, -- reload what changed under open buffers
    },
  })
  vim.wait(10000, function()
    local client = vim.lsp.get_client_by_id(self.id)
    return client and client.initialized
  end, 10)
  local opened = self:request('session/open', vim.tbl_extend('force', { workspace = options.workspace }, options.session or {}))
  self.session = opened.session
  return self
end

--- Sends a request and waits for its answer; raises the daemon's error (code, message, data.kind) as a table.
function Checkpoints:request(method, params)
  local answer
  local client = vim.lsp.get_client_by_id(self.id)
  client.request(method, vim.tbl_extend('keep', params or {}, { session = self.session }), function(err, result)
    answer = { err = err, result = result }
  end, 0)
  if not vim.wait(60000, function() return answer ~= nil end, 5) then error('checkpointd did not answer ' .. method) end
  if answer.err then error(answer.err, 0) end
  return answer.result
end

function Checkpoints:create(params) return self:request('checkpoint/create', params) end
function Checkpoints:list(params) return self:request('checkpoint/list', params) end
function Checkpoints:diff(params) return self:request('checkpoint/diff', params) end
function Checkpoints:restore(params) return self:request('checkpoint/restore', params) end
function Checkpoints:undo() return self:request('checkpoint/undo', {}) end

--- Ends the session and the daemon; Neovim does it by itself when it quits.
function Checkpoints:stop() vim.lsp.stop_client(self.id) end

return M
