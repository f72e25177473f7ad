# bash completion for memento
#
# Commands, options, and the names of the states that are there. States are read with `memento list -z`, which changes
# nothing. A second Tab shows each state with its date (UTC).

# Takes the quotes off a word as typed, and puts the home folder in the place of a tilde.
_memento_plain() {
  local word=$1
  case $word in
    \'*) word=${word#\'} word=${word%\'} ;;
    \"*) word=${word#\"} word=${word%\"} ;;
    *)
      [[ $word == '~' || $word == '~/'* ]] && word=$HOME${word#\~}
      word=${word//\\/}
      ;;
  esac
  REPLY=$word
}

# Sets at (-C and --store as given), dir (where -C leads) and command (the subcommand).
_memento_context() {
  local i word REPLY
  at=() dir=. command=
  for ((i = 1; i < cword; i++)); do
    word=${words[i]}
    case $word in
      -C | --store)
        _memento_plain "${words[i + 1]}"
        at+=("$word" "$REPLY")
        [[ $word == -C ]] && dir=$REPLY
        ((i++))
        ;;
      -C?*)
        _memento_plain "${word#-C}"
        at+=(-C "$REPLY") dir=$REPLY
        ;;
      --store=?*)
        _memento_plain "${word#--store=}"
        at+=(--store "$REPLY")
        ;;
      --wait | --color) ((i++)) ;;
      --) break ;;
      -*) ;;
      *) [[ $command ]] || command=$word command_at=$i ;;
    esac
  done
}

# How many words that are not options stand between the command and the cursor.
_memento_position() {
  local i
  position=0
  for ((i = command_at + 1; i < cword; i++)); do
    case ${words[i]} in
      -C | --store | --wait | --color | --since | --until | --to | --from | --pattern | --name | --sort | --compression | -m | --message | \
        -U | --unified | --exclude | --exclude-from | --exclude-larger-than) ((i++)) ;;
      -n) [[ $command == log ]] && ((i++)) ;;
      --max-count) ((i++)) ;;
      --) ;;
      -*) ;;
      *) ((position++)) ;;
    esac
  done
}

_memento_offer_words() {
  local word
  for word in $1; do
    [[ $word == "$plain"* ]] && found+=("$word")
  done
}

_memento_offer_states() {
  local mark name id time rest
  while IFS=$'\t' read -r -d '' mark name id time rest; do
    [[ $name == "$plain"* ]] || continue
    found+=("$name")
    dates+=("${time:0:10} ${time:11:5}")
  done < <("$program" "${at[@]}" list -z --wait 0 2>/dev/null </dev/null)
}

_memento_offer_files() {
  local kind=$1 base=$2 file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    found+=("$file")
  done < <(cd -- "$base" 2>/dev/null && compgen "$kind" -- "$plain")
}

_memento() {
  local cur prev words cword program=$1
  local at dir command command_at=0 position plain REPLY
  local -a found=() dates=()
  COMPREPLY=()
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n '=@:' cur prev words cword
  else
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    cur=${words[cword]} prev=${words[cword - 1]}
    # Without bash-completion, --option=value comes as three words.
    if [[ $cur == '=' ]]; then
      cur=
    elif [[ $prev == '=' ]]; then
      prev=${words[cword - 2]}
    fi
  fi
  _memento_plain "$program"
  program=$REPLY
  _memento_context

  # --option=value is an option and its value.
  local typed=$cur option=
  if [[ $cur == --*=* ]]; then
    prev=${cur%%=*} option=${cur%%=*}= cur=${cur#*=}
  fi
  _memento_plain "$cur"
  plain=$REPLY

  local i isCommand=
  for ((i = 1; i < cword; i++)); do
    [[ ${words[i]} == -- ]] && isCommand=$i && break
  done

  if [[ $isCommand && $command == log ]]; then
    _memento_offer_files -f "$dir"
  elif [[ $isCommand && ($command == save || $command == run) ]]; then
    # The completions of that command, where there is a way to ask for them.
    if declare -F _command_offset >/dev/null; then
      for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && break
      done
      _command_offset $((i + 1))
      return
    elif ((isCommand == cword - 1)); then
      while IFS= read -r REPLY; do found+=("$REPLY"); done < <(compgen -c -- "$plain")
    else
      _memento_offer_files -f "$dir"
    fi
  else
    case $prev in
      -C | --store) _memento_offer_files -d . ;;
      --to) _memento_offer_files -d "$dir" ;;
      --exclude-from) _memento_offer_files -f "$dir" ;;
      --color) _memento_offer_words 'auto always never' ;;
      --compression) _memento_offer_words 'none zlib zlib:1 zlib:6 zlib:9 zstd zstd:1 zstd:3 zstd:9 zstd:19' ;;
      --sort) _memento_offer_words 'name time size' ;;
      --from | --name) _memento_offer_states ;;
      --since | --until) _memento_offer_words '1h 1d 1w 1mo 1y' ;;
      --wait | --pattern | --message | -m | --max-count | -U | --unified | --exclude | --exclude-larger-than) return ;;
      -n)
        if [[ $command == log ]]; then return; fi
        _memento_offer_arguments
        ;;
      *) _memento_offer_arguments ;;
    esac
  fi
  _memento_reply
}

_memento_offer_arguments() {
  local global='-C --store --wait --color --no-progress --no-pager --quiet --verbose --json --help'
  if [[ ! $command ]]; then
    if [[ $cur == -* ]]; then
      _memento_offer_words "$global --version"
    else
      _memento_offer_words 'save restore list rename delete run log status diff show cat ls undo redo init gc verify check-ignore help'
    fi
    return
  fi
  if [[ $cur == -* && ! $isCommand ]]; then
    local own=
    local ignoring='--exclude --exclude-from --gitignore --exclude-caches --exclude-larger-than --cross-mounts'
    case $command in
      save) own='--message --no-clobber --from --stdin --stdin-from --rehash --dry-run --no-sync '$ignoring ;;
      restore) own='--to --discard --keep-extra --stdout --continue --abort --dry-run --no-sync '$ignoring ;;
      list) own='--sort -z' ;;
      delete) own='--pattern --dry-run --no-sync' ;;
      rename) own='--force --dry-run --no-sync' ;;
      log) own='--stat --oneline --all --since --until --max-count -z' ;;
      init) own='--compression' ;;
      run) own='--name --restore-on-failure --no-sync' ;;
      gc | undo | redo) own='--dry-run --no-sync' ;;
      status) own='--exit-code -z '$ignoring ;;
      check-ignore) own='-z '$ignoring ;;
      diff) own='--patch --stat --name-status --unified --exit-code -z '$ignoring ;;
      show) own='--patch --stat --name-status --unified' ;;
      ls) own='-l --recursive -z' ;;
      verify) own='--read-data --repair' ;;
    esac
    _memento_offer_words "$own $global"
    return
  fi
  _memento_position
  case $command in
    restore) if ((position == 0)); then _memento_offer_states; else _memento_offer_files -f "$dir"; fi ;;
    delete) _memento_offer_states ;;
    check-ignore | status) _memento_offer_files -f "$dir" ;;
    diff) if [[ $isCommand ]]; then _memento_offer_files -f "$dir"; elif ((position < 2)); then _memento_offer_states; fi ;;
    show | cat | ls) ((position == 0)) && _memento_offer_states ;;
    rename) ((position == 0)) && _memento_offer_states ;;
    run) [[ $isCommand ]] || _memento_offer_words '--' ;;
    log) ((position == 0)) && _memento_offer_states ;;
    init) ((position == 0)) && _memento_offer_files -d "$dir" ;;
    help) ((position == 0)) && _memento_offer_words 'save restore list rename delete run log status diff show cat ls undo redo init gc verify check-ignore' ;;
  esac
}

# Turns found into COMPREPLY: quoted as the cursor needs it, without what readline takes for an earlier word.
_memento_reply() {
  local i word broken=
  if ((${#dates[@]} > 1)) && [[ $COMP_TYPE == 63 ]]; then
    # Only a listing; nothing is inserted.
    for i in "${!found[@]}"; do COMPREPLY+=("${found[i]}  (${dates[i]})"); done
    return
  fi
  case $cur in
    \'* | \"*) COMPREPLY=("${found[@]}") ; return ;;
  esac
  [[ $typed == *[=@:]* ]] && broken=${typed%"${typed##*[=@:]}"}
  for word in "${found[@]}"; do
    # Files are quoted by readline itself.
    ((${#dates[@]})) && printf -v word %q "$word"
    word=$option$word
    COMPREPLY+=("${word#"$broken"}")
  done
}

complete -F _memento memento
