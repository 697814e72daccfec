-- Uses :Torchlsp, :checkhealth torchlsp and :help torchlsp, and writes what came of it as JSON to $REPORT.

local report = { notified = {} }
local SECONDS = 30

vim.notify = function(message)
  table.insert(report.notified, message)
end

local function await(what, condition)
  local value
  local came = vim.wait(SECONDS * 1000, function()
    value = condition()
    return value and true or false
  end, 20)
  if not came then
    error("never came: " .. what)
  end
  return value
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function text()
  return table.concat(lines(), "\n")
end

local function awaited_finding()
  await("the finding", function()
    return #vim.diagnostic.get(0) == 1
  end)
  vim.api.nvim_win_set_cursor(0, { tonumber(vim.env.ROW), tonumber(vim.env.COLUMN) })
end

-- What another text holds that a command opens, before the editor goes back.
local function opened(command)
  local before = vim.api.nvim_get_current_buf()
  vim.cmd(command)
  await("a text after " .. command, function()
    return vim.api.nvim_get_current_buf() ~= before and #text() > 0
  end)
  local shown = vim.api.nvim_get_current_buf()
  local found = { text = text():sub(1, 300), filetype = vim.bo.filetype, windows = #vim.api.nvim_list_wins() }
  if found.windows > 1 then
    vim.cmd("close!")
  else
    -- A program that is shown has findings, and a server, of its own.
    vim.cmd("buffer " .. before)
    vim.cmd("bwipeout " .. shown)
  end
  assert(vim.api.nvim_get_current_buf() == before)
  return found
end

local function notified_by(command)
  local before = #report.notified
  vim.cmd(command)
  await("a word after " .. command, function()
    return #report.notified > before
  end)
  return report.notified[#report.notified]
end

local function client_ids()
  return vim.tbl_map(function(client)
    return client.id
  end, require("torchlsp").clients())
end

local function drive()
  local program = vim.api.nvim_get_current_buf()
  awaited_finding()
  report.completed = vim.fn.getcompletion("Torchlsp ", "cmdline")
  report.codes = vim.fn.getcompletion("Torchlsp explain T", "cmdline")
  report.explained = opened("Torchlsp explain")
  report.explained_by_name = opened("Torchlsp explain TL501")
  vim.ui.select = function(rules, options, chosen)
    report.rules = vim.tbl_map(options.format_item, rules)
    chosen(rules[#rules])
  end
  report.chosen = opened("Torchlsp rules")
  report.script = opened("Torchlsp runnableScript")
  report.information = opened("Torchlsp debugInformation")
  report.unknown = notified_by("Torchlsp nonsense")
  vim.cmd("Torchlsp probe")
  report.probed = await("what became of the probe", function()
    local said = vim.fn.execute("messages") .. "\n" .. table.concat(report.notified, "\n")
    return said:match("TL101: [^\n]*")
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  report.nothing_here = notified_by("Torchlsp probe")

  local before = client_ids()
  vim.diagnostic.reset(nil, program)
  vim.cmd("Torchlsp restart")
  report.restarted = await("another server", function()
    local now = client_ids()
    return #now == 1 and now[1] ~= before[1]
  end)
  awaited_finding()

  local broken = text()
  vim.cmd("Torchlsp fixAll")
  await("the fix", function()
    return text() ~= broken
  end)
  report.fixed = lines()
  vim.cmd("undo")
  awaited_finding()
  report.everything = notified_by("Torchlsp checkWorkspace")
  report.quickfix = vim.tbl_map(function(one)
    return { one.lnum, one.col, one.text }
  end, vim.fn.getqflist())
  vim.cmd("cclose")

  vim.cmd("enew")
  report.unattached = notified_by("Torchlsp fixAll")
  vim.cmd("buffer " .. program)

  vim.cmd("checkhealth torchlsp")
  report.health = text()
  vim.cmd("silent only")
  vim.cmd("buffer " .. program)

  vim.cmd("helptags " .. vim.env.TAGS)
  vim.cmd("help :Torchlsp-fixAll")
  report.help = { vim.fn.expand("%:t"), vim.api.nvim_get_current_line() }
  report.unresolved = {}
  report.links = 0
  for name in text():gmatch("|([^|%s]+)|") do
    report.links = report.links + 1
    if not vim.tbl_contains(vim.fn.getcompletion(name, "help"), name) then
      table.insert(report.unresolved, name)
    end
  end
end

local ok, failure = xpcall(drive, debug.traceback)
if not ok then
  report.failed = tostring(failure)
  report.screen = lines()
end
local file = assert(io.open(vim.env.REPORT, "w"))
file:write(vim.json.encode(report))
file:close()
vim.cmd("qa!")
