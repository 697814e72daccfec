" Does in Vim what a user of ALE does, and writes what Vim then knows as JSON to $REPORT.
" Everything polls for its condition; what never comes is named in `failed`.

let s:report = {}
let s:seconds = 30

function! s:Await(what, Condition) abort
  let l:begun = reltime()
  while reltimefloat(reltime(l:begun)) < s:seconds
    let l:value = a:Condition()
    if !empty(l:value)
      return l:value
    endif
    sleep 20m
  endwhile
  throw 'never came: ' . a:what
endfunction

function! s:Found() abort
  return map(copy(ale#engine#GetLoclist(bufnr(''))),
  \   {_, one -> {'row': one.lnum, 'column': one.col, 'code': get(one, 'code', ''), 'text': one.text, 'type': one.type}})
endfunction

function! s:Hovered() abort
  for l:window in range(1, winnr('$'))
    if getwinvar(l:window, '&previewwindow') || getbufvar(winbufnr(l:window), '&filetype') =~# 'ale-preview'
      return join(getbufline(winbufnr(l:window), 1, '$'), "\n")
    endif
  endfor
  return ''
endfunction

" The user takes the entry of the menu that is called $FIX.
runtime autoload/ale/util.vim
function! ale#util#Input(menu, ...) abort
  let s:report.menu = a:menu
  return matchstr(a:menu, '\d\+\ze) ' . $FIX . "\n")
endfunction

function! s:Drive() abort
  call s:Await('the finding', {-> len(s:Found()) == 1})
  let s:report.found = s:Found()
  if empty($FIX)
    return
  endif
  call cursor($ROW, $COLUMN)
  ALEHover
  let s:report.hover = s:Await('the hover', function('s:Hovered'))
  let l:before = getline(1, '$')
  call cursor($ROW, $COLUMN)
  ALECodeAction
  call s:Await('the fix', {-> getline(1, '$') != l:before})
  let s:report.fixed = getline(1, '$')
  ALELint
  call s:Await('no finding after the fix', {-> empty(s:Found())})
endfunction

try
  call s:Drive()
catch
  let s:report.failed = v:exception . ' at ' . v:throwpoint
  let s:report.lines = getline(1, '$')
endtry
call writefile([json_encode(s:report)], $REPORT)
qa!
