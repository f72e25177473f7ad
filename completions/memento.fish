# fish completion for memento: commands, options, the names of the states that are there, with their dates (UTC), and the
# paths in their snapshots. They are read with `memento list -z` and `memento ls -lz`, which change nothing and wait for
# nobody; a Tab asks once.

# The words before the cursor, without quotes.
function __memento_words
    commandline -xpc 2>/dev/null
    or commandline -opc
end

# What is typed of the word at the cursor, without quotes.
function __memento_token
    string unescape -- "$(commandline -ct)"
end

# The command, and with --at the options -C and --store as they were given, one word a line.
function __memento_parse
    set -l words (__memento_words)
    set -e words[1]
    set -l at
    set -l command
    while set -q words[1]
        switch $words[1]
            case -C --store
                set -a at $words[1] (string replace -r '^~' $HOME -- $words[2])
                set -e words[1]
            case '-C?*'
                set -a at -C (string sub -s 3 -- $words[1])
            case '-C*'
                set -a at -C (string sub -s 3 -- $words[1])
            case '--store=*'
                set -a at --store (string sub -s 9 -- $words[1])
            case --wait --color
                set -e words[1]
            case --
                break
            case '-*'
            case '*'
                test -z "$command"; and set command $words[1]
        end
        set -e words[1]
    end
    if test "$argv[1]" = --at
        # Without words printf would still write a line, and an empty argument is no folder.
        set -q at[1]; and printf '%s\n' $at
    else
        echo $command
    end
end

function __memento_needs_command
    test -z (__memento_parse)
end

function __memento_uses
    contains -- "$(__memento_parse)" $argv
end

# The command and its arguments that are not options or their values, one a line.
function __memento_arguments
    set -l words (__memento_words)
    set -e words[1]
    set -l command (__memento_parse)
    while set -q words[1]
        switch $words[1]
            case -C --store --wait --color --since --until --to --in --from --name --pattern --sort --compression -m --message --max-count -U --unified \
                    --exclude --keep --exclude-from --exclude-larger-than --prune-unnamed --max-size --max-time --limit-rate --recovery-key --key-file --label --remote -S -e --regexp --path
                set -e words[1]
            case -n
                test "$command" = log; and set -e words[1]
            case '-*'
            case '*'
                printf '%s\n' $words[1]
        end
        set -e words[1]
    end
end

# Whether the command has no argument yet.
function __memento_is_first
    test (count (__memento_arguments)) -le 1
end

# Where -C leads.
function __memento_directory
    set -l at (__memento_parse --at)
    set -l directory .
    while set -q at[1]
        test $at[1] = -C; and set directory $at[2]
        set -e at[1 2]
    end
    echo $directory
end

# Whether the cursor stands after --, where paths or a command of its own begin.
function __memento_is_after_dashes
    contains -- -- (__memento_words)
end

# What could come next in the command after --.
function __memento_complete_command
    set -l words (__memento_words)
    while test "$words[1]" != --
        set -e words[1]
    end
    set -e words[1]
    # An empty word at the cursor counts, too.
    complete -C "$(string escape -- $words | string join ' ') $(commandline -ct)"
end

# What the program says, with -C and --store as they were given; nothing, where it is missing.
function __memento_ask
    set -l program (string replace -r '^~/' $HOME/ -- (__memento_words)[1])
    command -q $program; and command $program (__memento_parse --at) $argv 2>/dev/null </dev/null
end

# The names of the states, each with what follows it in the word. Where a state of a remote can stand: also those that
# were last seen there. No remote is asked.
function __memento_states
    set -l cached
    __memento_uses save restore show cat ls diff log delete; and set cached --cached
    for record in (__memento_ask list -z $cached --wait 0 | string split0)
        set -l fields (string split \t -- $record)
        printf '%s\t%s\n' "$fields[2]$argv[1]" (string sub -l 16 -- (string replace T ' ' -- $fields[4]))
    end
end

# The folders of the forks, which may be gone, and others.
function __memento_forks
    for record in (__memento_ask fork --list -z --wait 0 | string split0)
        string replace -r '^(?:[^\t]*\t){3}' '' -- $record
    end
    __fish_complete_directories
end

function __memento_remotes
    for record in (__memento_ask remote list -z --wait 0 | string split0)
        string split -f 1 \t -- $record
    end
end

# Whether the command of remote has been given, as one of these.
function __memento_remote_is
    __memento_uses remote; or return
    set -l words (__memento_arguments)
    contains -- "$words[2]" $argv
end

# What a folder of a snapshot holds, given as SNAPSHOT:FOLDER: names, of folders with a slash. What is offered ends at a
# tab or newline, so that a name which has one is left out.
function __memento_entries -a place
    set -l records (__memento_ask ls -lz --wait 0 -- $place | string split0)
    # Before the name stand mode, owner, group, size and time.
    string replace -rf '^04\d+(?:\t[^\t]+){4}\t([^\t\n]+)\z' '$1/' -- $records
    string replace -rf '^(?!04)\d+(?:\t[^\t]+){4}\t([^\t\n]+)\z' '$1' -- $records
end

# The same of a folder as it is now, and of names that begin as given; the store is no part of it.
function __memento_files -a folder name
    set -l files $folder$name{*,.*}
    for file in (string match -rv '(^|/)\.memento\z|[\t\n]' -- $files)
        # A link to a folder is a thing of its own.
        test -d $file -a ! -L $file; and echo $file/; or echo $file
    end | string sub -s (math (string length -- $folder) + 1)
end

# SNAPSHOT[:PATH], cut at the first colon that is not part of a time, as in @{2026-06-01 14:00}, like the program does.
# What follows the name of a state is the argument.
function __memento_places
    if string match -rq '^(?<snapshot>(?>@\{[^{}]*|[^:])++):(?<folder>(?:(?s:.*)/)?)' -- "$(__memento_token)"
        set -l names (__memento_entries $snapshot:$folder)
        string join \n -- $snapshot:$folder$names
    else
        __memento_states $argv
    end
end

# What a restore can be confined to: the paths of the snapshot, and those which it would remove, each once.
function __memento_restorable
    string match -rq '^(?<head>(?:(?s:.*)/)?)(?<name>.*)' -- "$(__memento_token)"
    set -l folder (string replace -r '^~/' $HOME/ -- $head)
    set -l here ./
    set -l base (__memento_directory)/
    if string match -q '/*' -- $folder
        set here
        set base
    end
    set -l names (begin
        __memento_entries (__memento_arguments)[2]:"$here$folder"
        # Elsewhere nothing is removed.
        string match -qr -- '^--(to(=.*)?|stdout)\z' (__memento_words); or __memento_files "$base$folder" $name
    end | LC_ALL=C sort -u -t / -k 1,1)
    string join \n -- $head$names
end

complete -c memento -f

complete -c memento -n __memento_needs_command -a save -d 'Record the whole folder'
complete -c memento -n __memento_needs_command -a restore -d 'Make the folder exactly what it was'
complete -c memento -n __memento_needs_command -a revert -d 'Take back what changed between two snapshots'
complete -c memento -n __memento_needs_command -a list -d 'List the states'
complete -c memento -n __memento_needs_command -a rename -d 'Give a state another name'
complete -c memento -n __memento_needs_command -a describe -d 'Put a note beside a snapshot'
complete -c memento -n __memento_needs_command -a delete -d 'Remove names of states'
complete -c memento -n __memento_needs_command -a prune -d 'Remove names by a policy'
complete -c memento -n __memento_needs_command -a run -d 'Run a command between two saves'
complete -c memento -n __memento_needs_command -a log -d 'Show the history, newest first'
complete -c memento -n __memento_needs_command -a find -d 'Show in which states a name occurs'
complete -c memento -n __memento_needs_command -a grep -d 'Search the content of all states'
complete -c memento -n __memento_needs_command -a when -d 'Show when a text came and went'
complete -c memento -n __memento_needs_command -a fork -d 'Make another working folder that shares the store'
complete -c memento -n __memento_needs_command -a bisect -d 'Find the first state for which a command fails'
complete -c memento -n __memento_needs_command -a init -d 'Make a store for a folder'
complete -c memento -n __memento_needs_command -a status -d 'Show where the folder is and what changed since'
complete -c memento -n __memento_needs_command -a diff -d 'Show what differs between snapshots, or in the folder'
complete -c memento -n __memento_needs_command -a show -d 'Show a snapshot, or what is in it'
complete -c memento -n __memento_needs_command -a cat -d 'Write a file of a snapshot to standard output'
complete -c memento -n __memento_needs_command -a ls -d 'List the files of a snapshot'
complete -c memento -n __memento_needs_command -a export -d 'Write a snapshot as a tar archive'
complete -c memento -n __memento_needs_command -a import -d 'Record a tar archive as a snapshot'
complete -c memento -n __memento_needs_command -a undo -d 'Go one step back'
complete -c memento -n __memento_needs_command -a redo -d 'Go one step forward again'
complete -c memento -n __memento_needs_command -a browse -d 'Look through the history on a full screen'
complete -c memento -n __memento_needs_command -a remote -d 'Add, list, check and remove remotes, and their keys'
complete -c memento -n __memento_needs_command -a push -d 'Bring states to a remote'
complete -c memento -n __memento_needs_command -a fetch -d 'Ask a remote which states it has'
complete -c memento -n __memento_needs_command -a pull -d 'Bring states of a remote here'
complete -c memento -n __memento_needs_command -a clone -d 'Make a folder from a remote'
complete -c memento -n __memento_needs_command -a config -d 'Show and change settings'
complete -c memento -n __memento_needs_command -a stats -d 'Show what takes space, and what deleting would free'
complete -c memento -n __memento_needs_command -a gc -d 'Give back the space that no state needs'
complete -c memento -n __memento_needs_command -a purge -d 'Take paths out of every snapshot'
complete -c memento -n __memento_needs_command -a verify -d 'Check the store for damage'
complete -c memento -n __memento_needs_command -a check-ignore -d 'Say which paths are ignored, and by which rule'
complete -c memento -n __memento_needs_command -a mcp -d 'Serve the folder to agents, over the Model Context Protocol'
complete -c memento -n __memento_needs_command -a help -d 'Show help'
complete -c memento -n __memento_needs_command -l version -d 'Show the version'

complete -c memento -s C -x -a '(__fish_complete_directories)' -d 'Run as if started in a folder'
complete -c memento -l store -x -a '(__fish_complete_directories)' -d 'Keep the store in a folder'
complete -c memento -l wait -x -d 'Wait so many seconds for another process'
complete -c memento -l color -x -a 'auto always never' -d 'Use colour'
complete -c memento -l no-progress -d 'Show no progress'
complete -c memento -l no-pager -d 'Show long output without a pager'
complete -c memento -s q -l quiet -d 'Print only what was asked for, and problems'
complete -c memento -s v -l verbose -d 'Name the store, and print ids in full'
complete -c memento -l json -d 'Print one JSON document'
complete -c memento -s h -l help -d 'Show help'

complete -c memento -n '__memento_uses save import restore revert rename describe delete prune fork undo redo gc purge config remote push fetch pull' -s n -l dry-run -d 'Print what would be done'
complete -c memento -n '__memento_uses save restore revert rename describe delete prune fork undo redo gc run' -l no-sync -d 'Do not wait for the disk'

complete -c memento -n '__memento_uses save' -s m -l message -x -d 'Record a message with it'
complete -c memento -n '__memento_uses save' -l no-clobber -d 'Refuse a name that is in use'
complete -c memento -n '__memento_uses save' -l from -x -a '(__memento_states)' -d 'Give this name to an existing snapshot'
complete -c memento -n '__memento_uses save' -l stdin -d 'Record standard input as a single value'
complete -c memento -n '__memento_uses save' -l stdin-from -d 'Record the output of the command after --'
complete -c memento -n '__memento_uses save' -l rehash -d 'Read every file'
complete -c memento -n '__memento_uses save' -s y -l yes -d 'Do not ask before far more is recorded than before'
complete -c memento -n '__memento_uses save' -l push -d 'Push it afterwards'
complete -c memento -n '__memento_uses save' -l no-push -d 'Do not push it, whatever the config says'

complete -c memento -n '__memento_uses remote; and __memento_is_first' -a 'add list remove check key'
complete -c memento -n '__memento_remote_is remove check' -a '(__memento_remotes)'
complete -c memento -n '__memento_uses remote' -l plain -d 'Do not encrypt what is put there'
complete -c memento -n '__memento_remote_is key; and test (count (__memento_arguments)) -eq 2' -a 'list add change remove'
complete -c memento -n '__memento_remote_is key; and test (count (__memento_arguments)) -eq 3' -a '(__memento_remotes)'
complete -c memento -n '__memento_remote_is key' -l recovery -d 'Add a recovery key and show it'
complete -c memento -n '__memento_remote_is key' -l key-file -r -F -d 'Take a file as the new key'
complete -c memento -n '__memento_remote_is key' -l label -x -d 'Call the key so'
complete -c memento -n '__memento_uses remote' -l recovery-key -r -F -d 'Write the recovery key to a new file'
complete -c memento -n '__memento_uses push fetch pull; and __memento_is_first' -a '(__memento_remotes)'
complete -c memento -n '__memento_uses push; and not __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses push' -l all -d 'Push the timeline as well'
complete -c memento -n '__memento_uses push fetch pull clone' -l limit-rate -x -d 'At most so many bytes a second'
complete -c memento -n '__memento_uses clone' -a '(__fish_complete_directories)'

complete -c memento -n '__memento_uses restore; and __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses restore; and not __memento_is_first' -a '(__memento_restorable)'
complete -c memento -n '__memento_uses revert; and __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses revert; and not __memento_is_first' -a '(__memento_restorable)'
complete -c memento -n '__memento_uses restore' -l to -x -a '(__fish_complete_directories)' -d 'Restore into a folder'
complete -c memento -n '__memento_uses restore' -s p -l patch -d 'Choose hunk by hunk'
complete -c memento -n '__memento_uses restore' -l discard -d 'Do not save what the restore overwrites'
complete -c memento -n '__memento_uses restore' -l keep-extra -d 'Leave files that the snapshot does not have'
complete -c memento -n '__memento_uses restore revert undo redo clone' -l as-recorded -d 'As root, restore owners and setuid of others'
complete -c memento -n '__memento_uses restore undo redo' -l keep -x -d 'Leave what the pattern matches as it is'
complete -c memento -n '__memento_uses restore' -l stdout -d 'Write a value or one file to standard output'
complete -c memento -n '__memento_uses restore' -l continue -d 'Finish a restore that was interrupted'
complete -c memento -n '__memento_uses restore' -l abort -d 'Take back a restore that was interrupted'

complete -c memento -n '__memento_uses run' -l name -x -a '(__memento_states)' -d 'Save under a name, before and after'
complete -c memento -n '__memento_uses config; and __memento_is_first' -a 'ignore protect gitignore exclude-caches exclude-larger-than cross-mounts max-new-files max-new-size keep trash max-size auto-gc folder compression chunk data-block meta-block parity remote auto-push s3-endpoint s3-region s3-path-style trust'
complete -c memento -n '__memento_uses config' -l add -d 'Keep the other values'
complete -c memento -n '__memento_uses config' -l unset -d 'Remove the value'
complete -c memento -n '__memento_uses config' -l unset-all -d 'Remove all values of the key'
complete -c memento -n '__memento_uses config' -l user -d 'Use the config of the user'
complete -c memento -n '__memento_uses gc verify stats prune' -l remote -x -a '(__memento_remotes)' -d 'The remote that this is about'
complete -c memento -n '__memento_uses gc' -l now -d 'Drop deleted states, replaced ones and undone steps at once'
complete -c memento -n '__memento_uses gc' -l prune-unnamed -x -d 'Drop unnamed snapshots older than this age'
complete -c memento -n '__memento_uses gc' -l max-size -x -d 'Drop the oldest unnamed snapshots beyond this size'
complete -c memento -n '__memento_uses gc' -l max-time -x -d 'Write packs anew for so long at most'
complete -c memento -n '__memento_uses gc' -l recompress -d 'Also compress anew what saves have compressed in haste'
complete -c memento -n '__memento_uses purge' -s y -l yes -d 'Do not ask'
complete -c memento -n '__memento_uses run' -l restore-on-failure -d 'Make the folder what it was on failure'
complete -c memento -n '__memento_uses run' -l only -x -d 'Take back what the command touches outside of it'
complete -c memento -n '__memento_uses run save' -l json-fd -x -d 'Write the JSON document to this descriptor'
complete -c memento -n '__memento_uses bisect; and not __memento_is_after_dashes' -a '(__memento_states)'
complete -c memento -n '__memento_uses bisect' -l in -x -a '(__fish_complete_directories)' -d 'Make the scratch folder there'
complete -c memento -n '__memento_uses bisect' -l keep-scratch -d 'Leave the scratch folder'
complete -c memento -n '__memento_uses run save bisect; and __memento_is_after_dashes' -a '(__memento_complete_command)'

complete -c memento -n '__memento_uses list' -l cached -d 'List what was last seen of remotes'
complete -c memento -n '__memento_uses list' -l sort -x -a 'name time size' -d 'Sort by'
complete -c memento -n '__memento_uses list log status diff ls check-ignore remote' -s z -d 'End records with NUL'

complete -c memento -n '__memento_uses delete stats' -a '(__memento_states)'
complete -c memento -n '__memento_uses delete' -l purge -d 'Free the space at once'
complete -c memento -n '__memento_uses delete' -l pattern -x -d 'All names that match this glob, too'

complete -c memento -n '__memento_uses prune' -l keep-last -x -d 'Keep so many of the newest'
complete -c memento -n '__memento_uses prune' -l keep-hourly -x -d 'Keep the newest of each of so many hours'
complete -c memento -n '__memento_uses prune' -l keep-daily -x -d 'Keep the newest of each of so many days'
complete -c memento -n '__memento_uses prune' -l keep-weekly -x -d 'Keep the newest of each of so many weeks'
complete -c memento -n '__memento_uses prune' -l keep-monthly -x -d 'Keep the newest of each of so many months'
complete -c memento -n '__memento_uses prune' -l keep-yearly -x -d 'Keep the newest of each of so many years'
complete -c memento -n '__memento_uses prune' -l keep-within -x -a '1d 1w 1mo 1y' -d 'Keep all that are not older by more'
complete -c memento -n '__memento_uses prune' -l allow-empty -d 'Remove all names if the policy keeps none'

complete -c memento -n '__memento_uses rename; and __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses describe; and __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses describe' -s m -l message -x -d 'The note'
complete -c memento -n '__memento_uses fork; and __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses fork; and not __memento_is_first' -x -a '(__fish_complete_directories)'
complete -c memento -n '__memento_uses fork' -l list -d 'List the forks'
complete -c memento -n '__memento_uses fork' -l forget -x -a '(__memento_forks)' -d 'Forget a fork; its files stay'
complete -c memento -n '__memento_uses fork' -s z -d 'End records with NUL'
complete -c memento -n '__memento_uses rename' -s f -l force -d 'Replace a name that is in use'

complete -c memento -n '__memento_uses log; and __memento_is_first; and not __memento_is_after_dashes' -a '(__memento_states)'
complete -c memento -n '__memento_uses log; and __memento_is_after_dashes' -F
complete -c memento -n '__memento_uses log' -l stat -d 'Show which files changed'
complete -c memento -n '__memento_uses log' -l oneline -d 'Show one line for each entry'
complete -c memento -n '__memento_uses log' -l all -d 'Also show what is not on the timeline any more'
complete -c memento -n '__memento_uses log' -l since -x -a '1h 1d 1w 1mo 1y' -d 'Show nothing older'
complete -c memento -n '__memento_uses log' -l until -x -a '1h 1d 1w 1mo 1y' -d 'Show nothing newer'
complete -c memento -n '__memento_uses log' -s n -l max-count -x -d 'Show at most so many entries'

complete -c memento -n '__memento_uses log' -s p -l patch -d 'Show the lines that changed'
complete -c memento -n '__memento_uses log' -s S -x -d 'Only entries that changed how often a text occurs'

complete -c memento -n '__memento_uses grep; and not __memento_is_first; and not __memento_is_after_dashes' -a '(__memento_states)'
complete -c memento -n '__memento_uses grep when; and __memento_is_after_dashes' -F
complete -c memento -n '__memento_uses grep' -s i -l ignore-case -d 'Take both cases as the same'
complete -c memento -n '__memento_uses grep' -s l -l files-with-matches -d 'Print only which files have a match'
complete -c memento -n '__memento_uses grep' -s n -l line-number -d 'Print the number of each line'
complete -c memento -n '__memento_uses grep' -s F -l fixed-strings -d 'Look for exactly this text'
complete -c memento -n '__memento_uses grep' -s e -l regexp -x -d 'Look for this'
complete -c memento -n '__memento_uses grep' -l path -r -F -d 'Only this file or folder'

complete -c memento -n '__memento_uses init' -l compression -x -a 'none zlib zlib:9 zstd zstd:3 zstd:19' -d 'Compress with'
complete -c memento -n '__memento_uses serve' -l stdio -d 'Use the standard streams'
complete -c memento -n '__memento_uses init serve' -a '(__fish_complete_directories)'

complete -c memento -n '__memento_uses status' -l exit-code -d 'End with status 1 when there are changes'
complete -c memento -n '__memento_uses save restore status diff check-ignore' -l exclude -x -d 'Leave out what the pattern matches'
complete -c memento -n '__memento_uses save restore status diff check-ignore' -l exclude-from -r -F -d 'Leave out what the patterns in a file match'
complete -c memento -n '__memento_uses save restore status diff check-ignore' -l gitignore -d 'Read .gitignore files as well'
complete -c memento -n '__memento_uses save restore status diff check-ignore' -l exclude-caches -d 'Leave out what is in folders with a CACHEDIR.TAG'
complete -c memento -n '__memento_uses save restore status diff check-ignore' -l exclude-larger-than -x -d 'Leave out larger files'
complete -c memento -n '__memento_uses save restore status diff check-ignore' -l cross-mounts -d 'Enter other file systems'
complete -c memento -n '__memento_uses check-ignore purge' -F
complete -c memento -n '__memento_uses status' -F

complete -c memento -n '__memento_uses diff show' -s p -l patch -d 'Show the lines that differ'
complete -c memento -n '__memento_uses diff show' -l stat -d 'Show how many lines differ in each file'
complete -c memento -n '__memento_uses diff show' -l name-status -d 'Show a letter and a path for each change'
complete -c memento -n '__memento_uses diff show' -s U -l unified -x -d 'Show so many lines around each change'
complete -c memento -n '__memento_uses diff' -l exit-code -d 'End with status 1 when there are differences'
complete -c memento -n '__memento_uses diff; and not contains -- -- (__memento_words)' -a '(__memento_states)'
complete -c memento -n '__memento_uses diff; and contains -- -- (__memento_words)' -F
complete -c memento -n '__memento_uses show ls; and __memento_is_first' -a '(__memento_places)'
# After cat a path follows most names.
complete -c memento -n '__memento_uses cat; and __memento_is_first' -a '(__memento_places :)'
complete -c memento -n '__memento_uses ls' -s l -d 'Show mode, owner, group, size and time'
complete -c memento -n '__memento_uses ls' -s R -l recursive -d 'List what is in folders, too'

complete -c memento -n '__memento_uses export' -l gzip -d 'Compress with gzip'
complete -c memento -n '__memento_uses export' -l zstd -d 'Compress with zstd'
complete -c memento -n '__memento_uses export; and __memento_is_first' -a '(__memento_states)'
complete -c memento -n '__memento_uses export; and not __memento_is_first' -F
complete -c memento -n '__memento_uses import' -s m -l message -x -d 'Record a message with it'
complete -c memento -n '__memento_uses import' -l no-clobber -d 'Refuse a name that is in use'
complete -c memento -n '__memento_uses import; and __memento_is_first' -F
complete -c memento -n '__memento_uses import; and not __memento_is_first' -a '(__memento_states)'

complete -c memento -n '__memento_uses verify' -l read-data -d 'Read everything, and check it'
complete -c memento -n '__memento_uses verify' -l since -x -a '7d 30d 90d' -d 'Read only what was not read within this time'
complete -c memento -n '__memento_uses verify' -l repair -d 'Repair what the folder, another copy or a remote still has'

complete -c memento -n '__memento_uses help; and __memento_is_first' -a 'save restore revert list rename describe delete prune run fork log find grep when bisect status diff show cat ls export import undo redo browse remote push fetch pull clone init config stats gc purge verify check-ignore mcp'
