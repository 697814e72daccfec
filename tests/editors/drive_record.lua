-- Records a run by :Torchlsp record, changes a line of the library that was run, and writes what is seen as JSON to $REPORT.

local report = { notified = {} }
local SECONDS = 60

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

local function client_here()
  return await("an initialized server", function()
    for _, client in ipairs(require("torchlsp").clients(vim.api.nvim_get_current_buf())) do
      return client.initialized and client
    end
  end)
end

local function notified_by(command)
  local before = #report.notified
  vim.cmd(command)
  await("a word after " .. command, function()
    return #report.notified > before
  end)
  return report.notified[#report.notified]
end

-- What the pointer shows on a word; the answer is that of the text as it stands.
local function hover(word)
  local client = client_here()
  vim.fn.cursor(1, 1)
  vim.fn.search(word)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", params, SECONDS * 1000) or {}
  local result = (answers[client.id] or {}).result
  return type(result) == "table" and result.contents.value or ""
end

local function findings()
  return vim.tbl_map(function(one)
    local told = one.user_data and one.user_data.lsp or {}
    return { code = one.code or told.code, message = one.message }
  end, vim.diagnostic.get(0))
end

local function change()
  local row = tonumber(vim.env.CHANGED_ROW)
  vim.api.nvim_buf_set_lines(0, row - 1, row, false, { "    " .. vim.env.CHANGED })
end

local function drive()
  local program = vim.api.nvim_get_current_buf()
  vim.cmd("edit model.py")
  local library = vim.api.nvim_get_current_buf()
  client_here()
  report.refused = notified_by("Torchlsp record")
  report.unrecorded = notified_by("Torchlsp recordStatus")
  change()
  report.hover_before = hover("values)")
  report.found_before = findings()
  vim.cmd("silent undo")

  vim.cmd("write | buffer " .. program)
  client_here()
  local windows = #vim.api.nvim_list_wins()
  vim.cmd("Torchlsp record")
  local terminal = await("the terminal", function()
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.bo[buffer].buftype == "terminal" then
        return #vim.api.nvim_list_wins() == windows + 1 and buffer
      end
    end
  end)
  assert(vim.api.nvim_get_current_buf() == program, "the cursor has left the program")
  report.terminal = await("the end of the run", function()
    -- Long lines are wrapped.
    local text = table.concat(vim.api.nvim_buf_get_lines(terminal, 0, -1, false), "")
    return text:find("Process exited", 1, true) and text
  end)

  vim.cmd("buffer " .. library)
  report.hover = await("what was observed", function()
    local text = hover("values)")
    return text:find("observed", 1, true) and text
  end)
  report.recorded = notified_by("Torchlsp recordStatus")
  change()
  report.found = await("the finding", function()
    local found = findings()
    return #found > 0 and found
  end)
  report.aged = notified_by("Torchlsp recordStatus")
end

local ok, failure = xpcall(drive, debug.traceback)
if not ok then
  report.failed = tostring(failure)
  report.screen = vim.api.nvim_buf_get_lines(0, 0, -1, false)
end
local file = assert(io.open(vim.env.REPORT, "w"))
file:write(vim.json.encode(report))
file:close()
vim.cmd("qa!")
