-- Drives the copy-and-paste snippet in a headless Neovim: the full LSP client. Arguments come in the environment.
local function run()
  local checkpointd = dofile(vim.env.SNIPPET)
  local work = vim.env.WORK
  local kinds, events = {}, {}
  checkpointd.on_progress = function(value) table.insert(kinds, value.kind) end
  checkpointd.on_event = function(name, params) table.insert(events, name) end
  local function write(name, text)
    local file = assert(io.open(work .. '/' .. name, 'w'))
    file:write(text)
    file:close()
  end
  local function read(name)
    local file = assert(io.open(work .. '/' .. name))
    local text = file:read('a')
    file:close()
    return text
  end
  local function equal(found, expected, what)
    assert(vim.deep_equal(found, expected), what .. ': ' .. vim.inspect(found))
  end
  -- Runs a command as a user types it and returns the lines that it adds to :messages.
  local function lines(command)
    vim.cmd('messages clear')
    local ran, why = pcall(vim.cmd, command)
    assert(ran, ('%s raised: %s'):format(command, why))
    return vim.split(vim.trim(vim.fn.execute('messages')), '\n')
  end
  write('a.txt', 'one\n')
  equal(lines('CheckpointList'), { 'checkpointd is not running: call start() first (0)' }, 'a command before start')
  local started, why = pcall(checkpointd.start, { cmd = { 'no-such-daemon' }, workspace = work })
  assert(not started and why:find('not installed'), why)
  local opened = checkpointd.start({
    cmd = vim.fn.json_decode(vim.env.COMMAND),
    workspace = work,
    session = { storageDir = vim.env.STORAGE },
  })
  equal(opened.base.tag, '0', 'the base')
  for number = 1, 80 do write(('slow-%d.txt'):format(number), number .. '\n') end
  write('a.txt', 'two\n')
  vim.cmd('CheckpointCreate From Neovim')
  equal(kinds[1], 'begin', 'progress begins')
  equal(kinds[#kinds], 'end', 'progress ends')
  equal(events[#events], 'checkpoint/didCreate', 'the event')
  local list = assert(checkpointd.request('checkpoint/list'))
  equal(list.checkpoints[2].description, 'From Neovim', 'the list')
  local diff = assert(checkpointd.request('checkpoint/diff', { from = '0', to = '1', paths = { { path = 'a.txt' } } }))
  equal(diff.files[1].change, 'modified', 'the diff')
  local result, err = checkpointd.request('checkpoint/restore', { tag = '99' })
  equal({ result, err.code, err.data.kind, err.data.effects }, { nil, 1002, 'UnknownCheckpoint', 'none' }, 'the error')
  local refusal = lines('CheckpointRestore 77')
  assert(#refusal == 1 and refusal[1]:find('^Checkpoint "77" not found.*UnknownCheckpoint'), vim.inspect(refusal))
  local said = lines('CheckpointRestore 0')
  equal(said[#said], '1 file restored', 'one file by its number')
  equal(read('a.txt'), 'one\n', 'the restored file')
  vim.cmd('CheckpointUndo')
  equal(read('a.txt'), 'two\n', 'the file after undo')
  vim.cmd('CheckpointList')
  vim.cmd('CheckpointDiff 0 1')
  equal(vim.fn.getcompletion('CheckpointRestore ', 'cmdline'), { '1', '0' }, 'completion of tags')
  -- A buffer shows what is on disk after a restore; one that is not saved is not overrun.
  vim.cmd('edit ' .. work .. '/a.txt')
  vim.cmd('CheckpointRestore 0')
  equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { 'one' }, 'the buffer')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })
  local warning = lines('CheckpointUndo')
  assert(warning[1]:find('unsaved: .*a.txt'), vim.inspect(warning))
  equal(read('a.txt'), 'one\n', 'nothing was restored')
  vim.cmd('CheckpointUndo!')
  equal(read('a.txt'), 'two\n', 'the file after a forced undo')
  equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { 'mine' }, 'the unsaved buffer')
  assert(checkpointd.stop(), 'the daemon did not stop')
  -- The session is there after a restart.
  local again = checkpointd.start({
    cmd = vim.fn.json_decode(vim.env.COMMAND),
    workspace = work,
    session = { storageDir = vim.env.STORAGE },
  })
  equal({ again.session, again.resumed }, { opened.session, true }, 'the session after a restart')
  assert(checkpointd.stop(), 'the daemon did not stop again')
end

local ok, err = pcall(run)
io.stdout:write(ok and '\nALL WELL\n' or ('\n' .. tostring(err) .. '\n'))
vim.cmd(ok and 'qall!' or 'cquit 1')
