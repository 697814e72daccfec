-- Does in Neovim what a user does, and writes what Neovim then knows as JSON to $REPORT.
-- Everything polls for its condition; what never comes is named in `failed`.

local report = { notified = {} }
local SECONDS = 30

vim.notify = function(message)
  table.insert(report.notified, message)
end

local function leave()
  local file = assert(io.open(vim.env.REPORT, "w"))
  file:write(vim.json.encode(report))
  file:close()
  vim.cmd("qa!")
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

local function diagnostics()
  return vim.tbl_map(function(one)
    local told = one.user_data and one.user_data.lsp or {}
    return {
      lnum = one.lnum,
      col = one.col,
      end_col = one.end_col,
      code = one.code,
      message = one.message,
      severity = one.severity,
      source = one.source,
      because = vim.tbl_map(function(step)
        return step.message
      end, told.relatedInformation or {}),
    }
  end, vim.diagnostic.get(0))
end

local function awaited_diagnostics(what, count, code)
  return await(what, function()
    local found = diagnostics()
    return #found == count and (count == 0 or found[1].code == code) and found
  end)
end

local function hover(client, row, column)
  vim.api.nvim_win_set_cursor(0, { row, column })
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = client:request_sync("textDocument/hover", params, SECONDS * 1000, 0)
  local result = answer and answer.result
  return type(result) == "table" and result.contents.value or vim.NIL
end

local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), "tx", false)
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function drive()
  local row, column = tonumber(vim.env.ROW), tonumber(vim.env.COLUMN)
  local client = await("an initialized server", function()
    local found = vim.lsp.get_clients({ bufnr = 0, name = "torchlsp" })[1]
    return found and found.initialized and found
  end)
  report.encoding = client.offset_encoding
  report.root = client.root_dir
  report.pulls = client.server_capabilities.diagnosticProvider ~= nil
  report.found = awaited_diagnostics("the finding", 1, "TL101")
  report.hover = hover(client, row, column)
  report.hints = await("inlay hints", function()
    local found = vim.lsp.inlay_hint.get({ bufnr = 0 })
    return #found > 0 and vim.tbl_map(function(one)
      return { one.inlay_hint.position.line, one.inlay_hint.position.character, one.inlay_hint.label }
    end, found)
  end)

  local before = table.concat(lines(), "\n")
  vim.api.nvim_win_set_cursor(0, { row, column })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == vim.env.FIX
    end,
  })
  await("the fix", function()
    return table.concat(lines(), "\n") ~= before
  end)
  report.fixed = lines()
  awaited_diagnostics("no finding after the fix", 0)

  -- Typed in the way of a user: the text does not parse until it is taken back.
  type_keys("Goif flag and (<Esc>")
  report.broken = awaited_diagnostics("the syntax error", 1, "TL000")
  report.hover_while_broken = hover(client, row, column)
  type_keys("Gdd")
  awaited_diagnostics("no finding after the repair", 0)
  vim.cmd("silent undo 0")
  report.undone = lines()
  report.found_again = awaited_diagnostics("the finding after undo", 1, "TL101")
end

local ok, failure = pcall(drive)
if not ok then
  report.failed = tostring(failure)
  report.diagnostics = diagnostics()
end
leave()
