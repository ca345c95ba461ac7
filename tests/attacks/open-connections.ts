import { openFiles } from '../helpers/process-family.ts';
import { type RawConnection, rawConnection } from '../helpers/raw-http.ts';
import type { AttackField } from './attack.ts';

/** Connections on which somebody says little. */
export type OpenConnections = readonly RawConnection[];

const opened = new WeakMap<AttackField, RawConnection[]>();

/** Opens connections from one of the attack's addresses, and writes the parts on each. */
export function openConnections(field: AttackField) {
  const all: RawConnection[] = [];
  opened.set(field, all);
  return async (
    count: number,
    from: number,
    ...parts: readonly (string | Uint8Array)[]
  ): Promise<OpenConnections> => {
    const some: RawConnection[] = [];
    for (let index = 0; index < count; index++) {
      const connection = await rawConnection(field.target.server.url, '', field.address(from));
      for (const part of parts) if (part.length > 0) connection.socket.write(part);
      some.push(connection);
    }
    all.push(...some);
    return some;
  };
}

/** Waits until the server has told each something and let go of it. */
export async function expectGone(field: AttackField, withinMs: number): Promise<void> {
  const all = opened.get(field) ?? [];
  const startedMs = performance.now();
  const leftMs = () => withinMs - (performance.now() - startedMs);
  field.figure('files the server had open with them', openFiles(field.target.server.pid));
  await Promise.all(
    all.map(async (connection) => {
      const ms = await Promise.race([
        connection.cutOff(),
        new Promise<null>((resolve) => setTimeout(() => resolve(null), leftMs())),
      ]);
      field.count(ms === null ? 'held' : String(connection.status() ?? 'closed without a word'));
      if (ms === null) field.fault(`a connection was still held after ${withinMs} ms`);
      else if (connection.status() === null) field.fault('a connection was closed without a word');
      connection.socket.destroy();
    }),
  );
  field.figure('s until the last was let go', Math.round((performance.now() - startedMs) / 1000));
  field.figure('files open after', openFiles(field.target.server.pid));
}
