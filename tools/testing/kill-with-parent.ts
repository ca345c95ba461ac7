import { spawn } from 'node:child_process';

/** Ends the watch; what was watched lives on. */
export type EndWatch = () => void;

/**
 * Has a process group killed, and its folders deleted, when this process dies in whatever way. A
 * shell in a group of its own waits for the end of its input, which only this process holds open.
 */
export function killWithParent(groupId: number, ...folders: readonly string[]): EndWatch {
  const script = 'read _; kill -s KILL -- "-$0"; sleep 1; rm -rf -- "$@"';
  const watch = spawn('sh', ['-c', script, String(groupId), ...folders], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Where there is no such shell, nobody watches.
  watch.on('error', () => undefined);
  watch.unref();
  return () => {
    watch.kill('SIGKILL');
  };
}
