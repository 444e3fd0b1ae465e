-- checkpointd in Neovim, 0.7 and later: no plugin, only Neovim's own LSP client.
--
--   local checkpointd = dofile('/path/to/neovim.lua')
--   checkpointd.start({ cmd = { 'checkpointd' }, workspace = vim.fn.getcwd() })
--
-- gives :CheckpointCreate [message], :CheckpointList, :CheckpointDiff [from [to]], :CheckpointRestore tag, :CheckpointUndo.
-- Tags complete with <Tab>. A new start resumes the same session: checkpoints remain when Neovim ends. Text that is
-- only in a buffer is in no checkpoint. So :CheckpointRestore and :CheckpointUndo refuse while a buffer of the work
-- tree is unsaved (with ! they continue and do not change that buffer), and :CheckpointCreate warns of it.
local M = { timeout = 60000 }

--- Called with the value of each `$/progress`, which is a report of progress.
M.on_progress = function(value)
  vim.api.nvim_echo({ { ('checkpointd: %s %s'):format(value.kind, value.message or value.title or '') } }, false, {})
end

--- Events of the daemon, by name.
M.on_event = function(name, params) end

--- Sends a request and waits. Returns the result, or nil and the error: { code, message, data = { kind, effects, … } }.
function M.request(method, params)
  if not M.client or M.client.is_stopped() then
    return nil, { code = 0, message = 'checkpointd is not running: call start() first', data = {} }
  end
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

--- Starts the daemon and opens a session on the work tree. Raises an error when either fails. If an earlier
--- daemon still runs, ends it first.
function M.start(options)
  if M.client and not M.client.is_stopped() then M.stop() end
  M.session = nil
  M.workspace = vim.fn.resolve(vim.fn.fnamemodify(options.workspace, ':p')):gsub('/$', '')
  local cmd = options.cmd or { 'checkpointd' }
  assert(vim.fn.executable(cmd[1]) == 1, ('checkpointd: %s is not installed or not on the PATH'):format(cmd[1]))
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
    cmd = cmd,
    root_dir = options.workspace,
    capabilities = capabilities,
    handlers = handlers,
    on_init = function() ready = true end,
  })
  assert(id and vim.wait(30000, function() return ready end, 10), 'checkpointd did not start')
  M.client = vim.lsp.get_client_by_id(id)
  local open = vim.tbl_extend('force', { workspace = M.workspace, init = 'force', retention = 'keep', conversationId = 'neovim' }, options.session or {})
  local session, err = M.request('session/open', open)
  -- A session that could not be opened leaves no daemon behind.
  if not session then M.stop() end
  assert(session, err and err.message)
  M.session = session.session
  return session
end

--- Ends the daemon (shutdown, exit). Neovim does the same when it quits.
function M.stop()
  if not M.client then return true end
  M.client.stop()
  return vim.wait(5000, function() return M.client.is_stopped() end, 10)
end

--- Shows the result, or the error in one line. vim.notify at its level ERROR would make the command fail as well,
--- with "Error detected while processing" and a traceback of this file.
local function show(result, err, lines)
  if not result then
    local text = ('%s (%s)'):format(err.message, (err.data or {}).kind or err.code)
    return vim.api.nvim_echo({ { text, 'ErrorMsg' } }, true, {})
  end
  print(table.concat(lines(result), '\n'))
end

--- Returns the names of the unsaved buffers of the work tree.
function M.unsaved()
  local names = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.fn.resolve(vim.api.nvim_buf_get_name(buffer))
    if vim.api.nvim_buf_get_option(buffer, 'modified') and vim.startswith(name, (M.workspace or '') .. '/') then
      table.insert(names, vim.fn.fnamemodify(name, ':.'))
    end
  end
  return names
end

--- Warns of unsaved buffers. Returns whether there are any.
local function warn(words)
  local names = M.unsaved()
  if #names > 0 then
    vim.notify(('checkpointd: unsaved: %s. %s'):format(table.concat(names, ', '), words), vim.log.levels.WARN)
  end
  return #names > 0
end

--- Sends the method, which restores files, and shows the files in their buffers. Unless forced, does nothing while a
--- buffer is unsaved.
local function restore(method, params, forced)
  if warn(forced and 'These buffers are not changed.' or 'Save them first, or add ! to continue.') and not forced then return end
  local result, err = M.request(method, params)
  show(result, err, function(r)
    local count = r.counts.restored
    return { ('%d %s restored'):format(count, count == 1 and 'file' or 'files') }
  end)
  -- Without 'autoread', Neovim would ask about every changed buffer.
  local autoread = vim.o.autoread
  vim.o.autoread = true
  vim.cmd('silent! checktime')
  vim.o.autoread = autoread
end

--- Returns the tags that begin with the typed text, newest first, for completion.
local function tags(lead)
  local result = M.request('checkpoint/list')
  local found = {}
  for _, each in ipairs(result and result.checkpoints or {}) do
    if each.tag and vim.startswith(each.tag, lead) then table.insert(found, 1, each.tag) end
  end
  return found
end

local function command(name, nargs, run, more)
  vim.api.nvim_create_user_command(name, run, vim.tbl_extend('force', { nargs = nargs }, more or {}))
end

command('CheckpointCreate', '*', function(a)
  warn('Text that is only in a buffer is not in the checkpoint.')
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
end, { complete = tags })
command('CheckpointRestore', 1, function(a) restore('checkpoint/restore', { tag = a.args }, a.bang) end,
  { complete = tags, bang = true })
command('CheckpointUndo', 0, function(a) restore('checkpoint/undo', {}, a.bang) end, { bang = true })

return M
