import { createServer as createTcpServer } from 'node:net';
import { createServer } from 'vite';
import { localCommand, run, say } from './browsers.ts';

const DEFAULT_PORT = 5180;

/** A port nobody listens on now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createTcpServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = address && typeof address === 'object' ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

// The pages come from Vite, hot; what begins with /api or /v1 goes to our server, restarted on change.
const apiPort = await freePort();
const vite = await createServer({
  server: {
    port: Number(process.env.PORT ?? DEFAULT_PORT),
    strictPort: true,
    proxy: {
      '/api': `http://127.0.0.1:${apiPort}`,
      '/v1': { target: `http://127.0.0.1:${apiPort}`, ws: true },
    },
  },
});
await vite.listen();
say(`Diktera, with hot reload: ${vite.resolvedUrls?.local[0] ?? ''}`);
const env = { ...process.env, PORT: String(apiPort), HOST: '127.0.0.1' };
process.exitCode = await run(localCommand('tsx'), ['watch', 'server/main.ts'], env);
await vite.close();
