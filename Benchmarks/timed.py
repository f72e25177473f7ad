"""timed.py REQUEST REPLY: runs commands and measures them (JSON in, JSON out). It is a separate process and imports
almost nothing, because the kernel never reports a smaller peak memory for a child than its parent had."""
import json, os, sys, time

with open(sys.argv[1]) as file:
    request = json.load(file)
os.chdir(request['folder'])
environment = {**os.environ, **request['environment']}
nothing = os.open('/dev/null', os.O_RDWR)
errors = os.open(request['errors'], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
redirections = [(os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, nothing, 1), (os.POSIX_SPAWN_DUP2, errors, 2)]
reply = {'wall': 0.0, 'cpu': 0.0, 'memory': 0, 'status': 0}
for command in request['commands']:
    start = time.monotonic()
    child = os.posix_spawnp(command[0], command, environment, file_actions=redirections)
    _, status, usage = os.wait4(child, 0)
    reply['wall'] += time.monotonic() - start
    reply['cpu'] += usage.ru_utime + usage.ru_stime
    reply['memory'] = max(reply['memory'], usage.ru_maxrss * 1024)
    reply['status'] = os.waitstatus_to_exitcode(status)
    if reply['status']:
        break
with open(sys.argv[2], 'w') as file:
    json.dump(reply, file)
