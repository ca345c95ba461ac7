import { ConfigError } from '../config/env-reader.ts';

/** A variable: compiler and bundler must not look for what is not in the default install. */
const PACKAGE_NAME: string = '@opentelemetry/sdk-node';

/** The last line that runs on node 20, and that goes with the API this server is built with. */
const PACKAGE_VERSION = '0.223.0';

/** As far as it is used here; it reads all `OTEL_*` variables itself. */
type NodeSdk = { start(): void; shutdown(): Promise<void> };

/** Ends what was started, so that the last spans go out. */
export type StopTelemetry = () => Promise<void>;

/**
 * Sends traces and metrics to `endpoint`, with the SDK, which is for the operator to install. Call
 * it before the app is built. Throws a ConfigError when the SDK is not there.
 */
export async function startTelemetry(
  endpoint: string | null,
  load: () => Promise<unknown> = () => import(PACKAGE_NAME),
): Promise<StopTelemetry> {
  if (endpoint === null) return async () => undefined;
  const module: unknown = await load().catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') {
      const message = `OTEL_EXPORTER_OTLP_ENDPOINT needs a package: npm i --no-save ${PACKAGE_NAME}@${PACKAGE_VERSION}`;
      throw new ConfigError(message, { cause });
    }
    throw cause;
  });
  const { NodeSDK } = Object(module) as { NodeSDK: new (options: object) => NodeSdk };
  const sdk = new NodeSDK({ serviceName: process.env.OTEL_SERVICE_NAME ?? 'diktera' });
  sdk.start();
  // What cannot be sent is no reason to end otherwise than well.
  return () => sdk.shutdown().catch(() => undefined);
}
