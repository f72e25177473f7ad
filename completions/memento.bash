# bash completion for memento
#
# Commands, options, the names of the states that are there, and the paths in their snapshots. They are read with
# `memento list -z` and `memento ls -lz`, which change nothing and wait for nobody; a Tab asks once. A second Tab shows
# each state with its date (UTC).

# Sets words, as they are typed and as far as the cursor, and cword, the last of them. Readline cuts words at colons,
# equals signs and the like, too: what no blank parts is put together again.
_memento_words() {
  local rest=${COMP_LINE:0:COMP_POINT} part blanks
  words=()
  for part in "${COMP_WORDS[@]}"; do
    blanks=${rest%%[![:space:]]*}
    rest=${rest#"$blanks"}
    [[ $blanks || ${#words[@]} == 0 ]] && words+=('')
    part=${part:0:${#rest}}
    words[${#words[@]} - 1]+=$part
    rest=${rest#"$part"}
    [[ $rest ]] || break
  done
  cword=$((${#words[@]} - 1))
}

# Takes the quotes off a word as typed, and puts the home folder in the place of a tilde. Sets REPLY, and quote: the
# quotation mark that is still open at the end.
_memento_plain() {
  local rest=$1 char
  REPLY= quote=
  [[ $rest == '~' || $rest == '~/'* ]] && REPLY=$HOME rest=${rest#\~}
  while [[ $rest ]]; do
    char=${rest:0:1} rest=${rest:1}
    case $quote$char in
      \\) REPLY+=${rest:0:1} rest=${rest:1} ;;
      \"\\)
        [[ $rest == [\"\\\$\`]* ]] && char=${rest:0:1} rest=${rest:1}
        REPLY+=$char
        ;;
      \' | \") quote=$char ;;
      \'\' | \"\") quote= ;;
      *) REPLY+=$char ;;
    esac
  done
}

# The other way: a word as the line needs it after the quotation mark that is open, or without one. Sets REPLY.
_memento_quote() {
  local char rest=$1
  case $quote in
    \') REPLY=${1//\'/"'\\''"} ;;
    \")
      for char in \\ \" \$ \`; do rest=${rest//"$char"/"\\$char"}; done
      REPLY=${rest//!/"\"'!'\""}
      ;;
    *)
      printf -v REPLY %q "$1"
      [[ $REPLY == \$\'* ]] || return 0
      # The form $'...' cannot be cut where several words begin to differ.
      REPLY=
      while [[ $rest ]]; do
        char=${rest:0:1} rest=${rest:1}
        case $char in
          $'\n') REPLY+="'$char'" ;;
          [[:space:]\!-,\;-@\[-^\`{-~]) REPLY+=\\$char ;;
          *) REPLY+=$char ;;
        esac
      done
      ;;
  esac
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

# Sets position, how many words that are not options stand between the command and the cursor, and first, the first of
# them; elsewhere says that a restore leaves the folder alone.
_memento_position() {
  local i
  position=0 first= elsewhere=
  for ((i = command_at + 1; i < cword; i++)); do
    case ${words[i]} in --to | --to=* | --stdout) elsewhere=1 ;; esac
    case ${words[i]} in
      -C | --store | --wait | --color | --since | --until | --to | --from | --pattern | --name | --sort | --compression | -m | --message | \
        -U | --unified | --exclude | --keep | --exclude-from | --exclude-larger-than | --prune-unnamed | --max-size | --max-time | --limit-rate | --recovery-key | --key-file | --label | --remote | --only | --json-fd | --in) ((i++)) ;;
      -n) [[ $command == log ]] && ((i++)) ;;
      --max-count) ((i++)) ;;
      --) ;;
      -*) ;;
      *) ((position++)) || first=${words[i]} ;;
    esac
  done
}

_memento_offer_words() {
  local word
  for word in $1; do
    [[ $word == "$plain"* ]] && found+=("$word")
  done
}

# The names of the states, each with what follows it in the word. Where a state of a remote can stand: also those that
# were last seen there. No remote is asked.
_memento_offer_states() {
  local mark name id time rest cached= only=()
  case $command in save | restore | show | cat | ls | diff | log | delete) cached=--cached ;; esac
  # Of ten thousand states, only those that may be meant are read. What has a slash might be asked of a remote.
  case $plain in
    '' | -* | *['*?[\']*) ;;
    */*) [[ $cached ]] && only=("$plain*") ;;
    *) only=("$plain*") ;;
  esac
  while IFS=$'\t' read -r -d '' mark name id time rest; do
    [[ $name == "$plain"* ]] || continue
    found+=("$name${1-}") shown+=("$name  (${time:0:10} ${time:11:5})")
  done < <("$program" "${at[@]}" list -z $cached --wait 0 "${only[@]}" 2>/dev/null </dev/null)
  [[ ${1-} ]] && isOpen=1
}

_memento_offer_remotes() {
  local name rest
  while IFS=$'\t' read -r -d '' name rest; do
    [[ $name == "$plain"* ]] && found+=("$name")
  done < <("$program" "${at[@]}" remote list -z --wait 0 2>/dev/null </dev/null)
}

# The folders of the forks, which may be gone, and others.
_memento_offer_forks() {
  local id position state folder
  while IFS=$'\t' read -r -d '' id position state folder; do
    [[ $folder == "$plain"* ]] && found+=("$folder")
  done < <("$program" "${at[@]}" fork --list -z --wait 0 2>/dev/null </dev/null)
  [[ $plain ]] && _memento_offer_files -d "$dir"
}

# Folders can hold very many names. Lines are read much faster than records that end with NUL; in the two functions that
# follow a newline in a name becomes a slash for that, which no name holds.

# The files of a folder as they are now, unless they are found already. $1: -f or -d; $2: what relative paths begin at.
_memento_offer_files() {
  local base=$2/ folder=${plain%"${plain##*/}"} file name
  local -A seen=()
  [[ $plain == /* ]] && base=
  for file in "${found[@]}"; do seen[${file%/}]=1; done
  while IFS= read -r name; do
    name=${name//\//$'\n'}
    # No name is an empty line; older versions of the shell find . and ..; the store is no part of the folder.
    case $1/$name in */ | */. | */.. | -f/.memento) continue ;; esac
    [[ ${seen[$folder$name]-} ]] && continue
    file=$base$folder$name
    # A link to a folder is a thing of its own where files are meant.
    if [[ -d $file && ($1 == -d || ! -L $file) ]]; then
      name+=/ isOpen=1
    elif [[ $1 == -d ]]; then
      continue
    fi
    found+=("$folder$name") shown+=("$name")
  done 2>/dev/null <<<"$(
    shopt -s nullglob dotglob
    shopt -u failglob
    set +f
    files=("$base$plain"*)
    files=("${files[@]##*/}")
    printf '%s\n' "${files[@]//$'\n'//}"
  )"
}

# The paths in a folder of a snapshot. $1: SNAPSHOT:FOLDER; $2: how the names begin; $3: what stands before them.
_memento_offer_entries() {
  local record name start=${2//$'\n'//}
  while IFS= read -r record; do
    # Most are left out before they are taken apart: mode, owner, group, size, time, name.
    [[ $record == *$'\t'"$start"* ]] || continue
    name=${record#*$'\t'*$'\t'*$'\t'*$'\t'*$'\t'}
    [[ $name == "$start"* ]] || continue
    name=${name//\//$'\n'}
    [[ $record == 04* ]] && name+=/ isOpen=1
    found+=("$3$name") shown+=("$name")
  done 2>/dev/null <<<"$("$program" "${at[@]}" ls -lz --wait 0 -- "$1" </dev/null | LC_ALL=C tr '\n\0' '/\n')"
}

# Cuts SNAPSHOT:PATH at the first colon that is not part of a time, as in @{2026-06-01 14:00}, like the program does.
# Sets snapshot and path; fails when there is none.
_memento_split() {
  local rest=$1 tail
  snapshot=
  while [[ $rest == *:* ]]; do
    snapshot+=${rest%%:*} rest=${rest#*:}
    # What follows the last brace.
    tail=${snapshot##*[\{\}]}
    if [[ ${snapshot%"$tail"} != *@\{ ]]; then
      path=$rest
      return 0
    fi
    snapshot+=:
  done
  return 1
}

# SNAPSHOT[:PATH]. After cat a path follows most names.
_memento_offer_places() {
  local snapshot path name
  if _memento_split "$plain"; then
    name=${path##*/}
    _memento_offer_entries "$snapshot:${path%"$name"}" "$name" "${plain%"$name"}"
  elif [[ $command == cat ]]; then
    _memento_offer_states :
  else
    _memento_offer_states
  fi
}

# What a restore can be confined to: the paths of the snapshot, and those which it would remove.
_memento_offer_restorable() {
  local name=${plain##*/} folder
  folder=${plain%"$name"}
  [[ $folder == /* ]] || folder=./$folder
  _memento_plain "$first"
  _memento_offer_entries "$REPLY:$folder" "$name" "${plain%"$name"}"
  [[ $elsewhere ]] || _memento_offer_files -f "$dir"
}

_memento() {
  local cur prev words cword program=$1 replaced=$2
  local at dir command command_at=0 position first elsewhere plain quote REPLY
  # What the word can become; what a listing shows of it, if that is something else; whether the word then goes on.
  local -a found=() shown=()
  local isOpen=
  COMPREPLY=()
  _memento_words
  cur=${words[cword]} prev=${words[cword - 1]}
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

  if [[ $isCommand && ($command == log || $command == grep || $command == when) ]]; then
    _memento_offer_files -f "$dir"
  elif [[ $isCommand && ($command == save || $command == run || $command == bisect) ]]; then
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
      --to | --in) _memento_offer_files -d "$dir" ;;
      --recovery-key | --key-file) _memento_offer_files -f "$dir" ;;
      --remote) _memento_offer_remotes ;;
      --forget) _memento_offer_forks ;;
      --exclude-from | --path) _memento_offer_files -f "$dir" ;;
      --color) _memento_offer_words 'auto always never' ;;
      --compression) _memento_offer_words 'none zlib zlib:1 zlib:6 zlib:9 zstd zstd:1 zstd:3 zstd:9 zstd:19' ;;
      --sort) _memento_offer_words 'name time size' ;;
      --from | --name) _memento_offer_states ;;
      --since | --until | --prune-unnamed | --keep-within) _memento_offer_words '1h 1d 1w 1mo 1y' ;;
      --wait | --pattern | --keep-last | --keep-hourly | --keep-daily | --keep-weekly | --keep-monthly | --keep-yearly | --message | -m | --max-count | -U | --unified | --exclude | --keep | --exclude-larger-than | --max-size | --max-time | --limit-rate | --label | -S | -e | --regexp | --only | --json-fd) return ;;
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
      _memento_offer_words 'save restore revert list rename describe delete prune run fork log find grep when bisect status diff show cat ls export import undo redo browse remote push fetch pull clone init config stats gc purge verify check-ignore mcp help'
    fi
    return
  fi
  if [[ $cur == -* && ! $isCommand ]]; then
    local own=
    local ignoring='--exclude --exclude-from --gitignore --exclude-caches --exclude-larger-than --cross-mounts'
    case $command in
      save) own='--message --no-clobber --from --stdin --stdin-from --rehash --json-fd --yes --push --no-push --dry-run --no-sync '$ignoring ;;
      export) own='--gzip --zstd' ;;
      import) own='--message --no-clobber --dry-run --no-sync' ;;
      restore)
        own='--to --patch --discard --keep-extra --keep --as-recorded --stdout --continue --abort --dry-run --no-sync '$ignoring
        ;;
      list) own='--sort --cached -z' ;;
      delete) own='--purge --pattern --dry-run --no-sync' ;;
      prune)
        own='--keep-last --keep-hourly --keep-daily --keep-weekly --keep-monthly --keep-yearly --keep-within --allow-empty --remote --dry-run --no-sync'
        ;;
      rename) own='--force --dry-run --no-sync' ;;
      describe) own='--message --dry-run --no-sync' ;;
      log) own='--stat --patch --oneline -S --all --since --until --max-count -z' ;;
      grep) own='--ignore-case --files-with-matches --line-number --fixed-strings --regexp --path' ;;
      init) own='--compression' ;;
      serve) own='--stdio' ;;
      run) own='--name --restore-on-failure --only --json-fd --no-sync' ;;
      config) own='--add --unset --unset-all --user --dry-run' ;;
      gc) own='--now --prune-unnamed --max-size --max-time --recompress --remote --dry-run --no-sync' ;;
      stats) own='--remote' ;;
      purge) own='--yes --dry-run' ;;
      bisect) own='--in --keep-scratch' ;;
      fork) own='--list --forget --dry-run --no-sync -z' ;;
      revert) own='--as-recorded --dry-run --no-sync' ;;
      undo | redo) own='--keep --as-recorded --dry-run --no-sync' ;;
      status) own='--exit-code -z '$ignoring ;;
      check-ignore) own='-z '$ignoring ;;
      diff) own='--patch --stat --name-status --unified --exit-code -z '$ignoring ;;
      show) own='--patch --stat --name-status --unified' ;;
      ls) own='-l --recursive -z' ;;
      remote) own='--plain --recovery-key --recovery --key-file --label --dry-run -z' ;;
      push) own='--all --dry-run --limit-rate' ;;
      fetch | pull) own='--dry-run --limit-rate' ;;
      clone) own='--as-recorded --limit-rate' ;;
      verify) own='--read-data --since --repair --remote' ;;
    esac
    _memento_offer_words "$own $global"
    return
  fi
  _memento_position
  case $command in
    restore) if ((position == 0)); then _memento_offer_states; else _memento_offer_restorable; fi ;;
    revert) if ((position == 0)); then _memento_offer_states; else _memento_offer_restorable; fi ;;
    bisect) if ((position < 2)); then _memento_offer_states; else _memento_offer_words '--'; fi ;;
    delete | stats) _memento_offer_states ;;
    remote)
      if ((position == 0)); then
        _memento_offer_words 'add list remove check key'
      elif ((position == 1)) && [[ $first == key ]]; then
        _memento_offer_words 'list add change remove'
      elif ((position == 2)) && [[ $first == key ]]; then
        _memento_offer_remotes
      elif ((position == 1)) && [[ $first == remove || $first == check ]]; then
        _memento_offer_remotes
      fi
      ;;
    fetch | pull) ((position == 0)) && _memento_offer_remotes ;;
    push) if ((position == 0)); then _memento_offer_remotes; else _memento_offer_states; fi ;;
    clone) _memento_offer_files -d "$dir" ;;
    check-ignore | status | purge) _memento_offer_files -f "$dir" ;;
    diff) if [[ $isCommand ]]; then _memento_offer_files -f "$dir"; elif ((position < 2)); then _memento_offer_states; fi ;;
    show | cat | ls) ((position == 0)) && _memento_offer_places ;;
    export) if ((position == 0)); then _memento_offer_states; else _memento_offer_files -f "$dir"; fi ;;
    import) if ((position == 0)); then _memento_offer_files -f "$dir"; else _memento_offer_states; fi ;;
    rename | describe) ((position == 0)) && _memento_offer_states ;;
    fork) if ((position == 0)); then _memento_offer_states; else _memento_offer_files -d "$dir"; fi ;;
    run) [[ $isCommand ]] || _memento_offer_words '--' ;;
    log) ((position == 0)) && _memento_offer_states ;;
    grep) ((position > 0)) && _memento_offer_states ;;
    init | serve) ((position == 0)) && _memento_offer_files -d "$dir" ;;
    config)
      ((position == 0)) && _memento_offer_words 'ignore protect gitignore exclude-caches exclude-larger-than cross-mounts max-new-files max-new-size keep trash max-size auto-gc folder compression chunk data-block meta-block parity remote auto-push s3-endpoint s3-region s3-path-style trust'
      ;;
    help) ((position == 0)) && _memento_offer_words 'save restore revert list rename describe delete prune run fork log find grep when bisect status diff show cat ls export import undo redo browse remote push fetch pull clone init config stats gc purge verify check-ignore mcp' ;;
  esac
}

# Turns found into COMPREPLY: without what readline leaves standing, and quoted as the line needs it.
_memento_reply() {
  local word kept
  if [[ $COMP_TYPE == 63 ]] && ((${#shown[@]} > 1)); then
    # Only a listing; nothing is inserted.
    COMPREPLY=("${shown[@]}")
    return
  fi
  [[ $isOpen ]] && compopt -o nospace
  # Only the end of the word is replaced: what follows a colon, or a quotation mark that is open.
  _memento_plain "$typed"
  _memento_plain "${typed%"${replaced#"$quote"}"}"
  kept=$REPLY
  for word in "${found[@]}"; do
    REPLY=$option$word
    REPLY=${REPLY#"$kept"}
    [[ $REPLY == *[!0-9A-Za-z._/-]* ]] && _memento_quote "$REPLY"
    COMPREPLY+=("$REPLY")
  done
  # Readline closes the quotes, but not where it finds a mark at the end already.
  [[ ${#found[@]} == 1 && $quote && $REPLY == *"$quote" ]] && COMPREPLY[0]+=$quote
}

complete -F _memento memento
