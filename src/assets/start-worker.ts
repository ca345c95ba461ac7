const wrappers = new Map<string, string>();

/**
 * Starts a worker from the address of a module. A browser takes no worker's script from another
 * origin (a CDN), but a module may import one from there: then a script of one line does.
 */
export function startWorker(address: string, name: string): Worker {
  const isOurs = new URL(address).origin === globalThis.location.origin;
  return new Worker(isOurs ? address : wrapperOf(address), { type: 'module', name });
}

/** Kept for as long as the page lives: a worker that dies is started again. */
function wrapperOf(address: string): string {
  const known = wrappers.get(address);
  if (known !== undefined) return known;
  const script = new Blob([`import ${JSON.stringify(address)};`], { type: 'text/javascript' });
  const wrapper = URL.createObjectURL(script);
  wrappers.set(address, wrapper);
  return wrapper;
}
