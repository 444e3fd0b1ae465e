-- checkpointd in Neovim, 0.7 and later: no plugin, only the LSP client that is built in.
--
--   local checkpointd = dofile('/path/to/neovim.lua')
--   checkpointd.start({ cmd = { 'checkpointd' }, workspace = vim.fn.getcwd() })
--
-- gives :CheckpointCreate [message], :CheckpointList, :CheckpointDiff [from [to]], :CheckpointRestore tag, :CheckpointUndo.
local M = { timeout = 60000 }

--- Reports of progress: called with the value of each `$/progress`.
M.on_progress = function(value)
  vim.api.nvim_echo({ { ('checkpointd: %s %s'):format(value.kind, value.message or value.title or '') } }, false, {})
end

--- Events of the daemon, by name.
M.on_event = function(name, params) end

--- Sends a request and waits. Returns the result, or nil and the error: { code, message, data = { kind, effects, … } }.
function M.request(method, params)
  local done, failure, result = false, nil, nil
  params = vim.tbl_extend('force', { session = M.session, workDoneToken = 'nvim-' .. method }, params or {})
  local sent = M.client.request(method, params, function(err, value)
    done, failure, result = true, err, value
  end)
  if not sent then
    return nil, { code = 0, message = 'checkpointd is not running', data = {} }
  end
  if not vim.wait(M.timeout, function() return done end, 10) then
    return nil, { code = 0, message = method .. ' was not answered in time', data = {} }
  end
  return result, failure
end

--- Starts the daemon and opens a session on the work tree. Raises an error when either fails.
function M.start(options)
  local handlers = {
    ['$/progress'] = function(_, params) M.on_progress(params.value) end,
  }
  local events = { 'checkpoint/didCreate', 'checkpoint/didRestore' }
  for _, name in ipairs(events) do
    handlers[name] = function(_, params) M.on_event(name, params) end
  end
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.checkpointd = { events = events }
  local ready = false
  local id = vim.lsp.start_client({
    name = 'checkpointd',
    cmd = options.cmd or { 'checkpointd' },
    root_dir = options.workspace,
    capabilities = capabilities,
    handlers = handlers,
    on_init = function() ready = true end,
  })
  assert(id and vim.wait(30000, function() return ready end, 10), 'checkpointd did not start')
  M.client = vim.lsp.get_client_by_id(id)
  local open = vim.tbl_extend('force', { workspace = options.workspace, init = 'force' }, options.session or {})
  local session, err = M.request('session/open', open)
  assert(session, err and err.message)
  M.session = session.session
  return session
end

--- Ends the daemon (shutdown, exit). Neovim does the same when it quits.
function M.stop()
  M.client.stop()
  return vim.wait(5000, function() return M.client.is_stopped() end, 10)
end

local function show(result, err, lines)
  if not result then
    return vim.notify(('%s (%s)'):format(err.message, (err.data or {}).kind or err.code), vim.log.levels.ERROR)
  end
  print(table.concat(lines(result), '\n'))
end

local function command(name, nargs, run)
  vim.api.nvim_create_user_command(name, run, { nargs = nargs })
end

command('CheckpointCreate', '*', function(a)
  local result, err = M.request('checkpoint/create', { kind = 'turn', message = a.args ~= '' and a.args or nil })
  show(result, err, function(r) return { ('[%s] %s'):format(r.checkpoint.tag, r.checkpoint.description) } end)
end)
command('CheckpointList', 0, function()
  local result, err = M.request('checkpoint/list')
  show(result, err, function(r)
    return vim.tbl_map(function(each) return ('[%s] %s'):format(each.tag, each.description) end, r.checkpoints)
  end)
end)
command('CheckpointDiff', '*', function(a)
  local result, err = M.request('checkpoint/diff', { from = a.fargs[1], to = a.fargs[2], format = 'text' })
  show(result, err, function(r) return { r.text } end)
end)
command('CheckpointRestore', 1, function(a)
  local result, err = M.request('checkpoint/restore', { tag = a.args })
  show(result, err, function(r) return { ('%d files restored'):format(#r.restored) } end)
  vim.cmd('checktime')
end)
command('CheckpointUndo', 0, function()
  local result, err = M.request('checkpoint/undo')
  show(result, err, function(r) return { ('%d files restored'):format(#r.restored) } end)
  vim.cmd('checktime')
end)

return M
