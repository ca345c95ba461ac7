import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { SERVER_VERSION } from '../core/version.ts';

/** Where the API says what it is. */
export const OPENAPI_PATH = '/openapi.json';

/**
 * Describes the routes that are added after it by their own schemas. The schemas only describe:
 * bodies are judged by the routes, whose errors say more, and answers are sent as they are.
 */
export async function describeRoutes(app: FastifyInstance, needsToken: boolean): Promise<void> {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Diktera',
        version: SERVER_VERSION,
        description: 'Turns recorded speech into text.',
        license: { name: 'MIT' },
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'diktera_token' },
        },
      },
    },
    // Only what says something of itself: pages and files are not the API.
    transform: ({ schema, url }) => {
      const isDescribed = schema !== undefined && 'response' in schema;
      return { schema: isDescribed ? schema : { hide: true }, url };
    },
    hideUntagged: false,
  });
  app.get(OPENAPI_PATH, async () => {
    const document = app.swagger();
    return needsToken ? document : withoutTokens(document);
  });
}

/** Where nobody needs a token, none is spoken of. */
function withoutTokens(document: object): object {
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) =>
      name === 'security' || name === 'securitySchemes' ? undefined : value,
    ),
  );
}
