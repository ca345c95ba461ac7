import { isIP } from 'node:net';
import { trustOf } from '../access/trusted-proxies.ts';
import { WHISPER_LANGUAGES } from '../engine/ask-upstream.ts';
import {
  ENGINE_NAMES,
  type EngineName,
  type EngineOptions,
  type TransformersSettings,
} from '../engine/engine-set.ts';
import type { UpstreamProxies } from '../engine/upstream-watch.ts';
import { modelFor } from '../models/catalogue.ts';
import type { EnvReader } from './env-reader.ts';
import type { VariableName } from './variables.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
const MAX_TIMEOUT_S = 600;

/** The client gives up after 120 s; what comes later nobody reads. */
const DEFAULT_TIMEOUT_S = 100;

/** Reads what concerns engines; problems go to `reader`. */
export function readEngineConfig(reader: EnvReader): EngineOptions {
  const openAiUrl = reader.url('OPENAI_BASE_URL');
  const whisperCppUrl = reader.url('WHISPERCPP_URL');
  const apiKey = reader.text('OPENAI_API_KEY');
  const asked = reader.oneOf('ASR_ENGINE', ['auto', ...ENGINE_NAMES], 'auto');
  const routes = readRoutes(reader);
  const defaultLanguage = readLanguage(reader, 'ASR_DEFAULT_LANGUAGE');

  const hasOpenAi = openAiUrl !== null || apiKey !== null;
  const configured = hasOpenAi ? 'openai' : whisperCppUrl === null ? 'embedded' : 'whispercpp';
  const main = asked === 'auto' ? configured : asked;
  const openAiLanguages = readLanguages(reader, 'OPENAI_LANGUAGES');
  const whisperCppLanguages = readLanguages(reader, 'WHISPERCPP_LANGUAGES');
  const inUse = new Set([main, ...routes.values()]);

  if (inUse.has('openai') && !hasOpenAi) {
    reader.complain('OPENAI_BASE_URL or OPENAI_API_KEY must be set for the engine openai');
  }
  if (inUse.has('whispercpp') && whisperCppUrl === null) {
    reader.complain('WHISPERCPP_URL must be set for the engine whispercpp');
  }
  const options: EngineOptions = {
    main,
    routes,
    defaultLanguage,
    local: [],
    proxies: readProxies(reader, inUse),
    openai: inUse.has('openai')
      ? {
          baseUrl: openAiUrl ?? OPENAI_URL,
          apiKey,
          model: reader.text('OPENAI_MODEL') ?? 'whisper-1',
          fastModel: reader.text('OPENAI_FAST_MODEL'),
          languages: openAiLanguages,
          defaultLanguage: defaultOf(openAiLanguages, defaultLanguage),
          prompt: reader.text('OPENAI_PROMPT') ?? '',
          timeoutMs: timeoutMs(reader, 'OPENAI_TIMEOUT_S'),
        }
      : null,
    whisperCpp:
      inUse.has('whispercpp') && whisperCppUrl !== null
        ? {
            url: whisperCppUrl,
            model: reader.text('WHISPERCPP_MODEL') ?? 'whisper',
            languages: whisperCppLanguages,
            defaultLanguage: defaultOf(whisperCppLanguages, defaultLanguage),
            prompt: reader.text('WHISPERCPP_PROMPT') ?? '',
            timeoutMs: timeoutMs(reader, 'WHISPERCPP_TIMEOUT_S'),
          }
        : null,
    transformers: inUse.has('transformers') ? readTransformers(reader, defaultLanguage) : null,
    freePieces: true,
  };
  const complete = {
    ...options,
    local: readLocal(reader, options),
    freePieces: arePiecesFree(reader, options),
  };
  requireDefaultLanguage(complete, reader);
  return complete;
}

/** Names that no server of the open internet has; one of a single word is a container's. */
const NEAR_NAME = /^[^.]+$|\.(localhost|local|internal|lan|home\.arpa)$/;
const isNearAddress = trustOf(['loopback', 'linklocal', 'uniquelocal']) || (() => false);

/** True if a server of that name is in one's own house: on this machine, or at a private address. */
function isNear(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(name) === 0 ? NEAR_NAME.test(name) : isNearAddress(name, 0);
}

function arePiecesFree(reader: EnvReader, { openai, whisperCpp }: EngineOptions): boolean {
  const upstreams = [openai?.baseUrl ?? [], whisperCpp?.url ?? []].flat();
  const isNoneFar = upstreams.every((url) => isNear(new URL(url).hostname));
  return reader.oneOf('FREE_PIECES', ['true', 'false'], `${isNoneFar}`) === 'true';
}

function readProxies(reader: EnvReader, inUse: ReadonlySet<EngineName>): UpstreamProxies | null {
  if (!inUse.has('openai') && !inUse.has('whispercpp')) return null;
  const [http, https] = (['HTTP_PROXY', 'HTTPS_PROXY'] as const).map((name) => {
    const given = reader.eitherCase(name);
    if (given === null) return null;
    const address = given.includes('://') ? given : `http://${given}`;
    if (URL.canParse(address) && /^https?:/.test(address)) return address;
    // It may hold a password, so it is not repeated.
    reader.complain(`${name} must be a proxy's address that begins with http://`);
    return null;
  });
  if (!http && !https) return null;
  const exempt = reader.eitherCase('NO_PROXY') ?? '';
  return { http: http ?? null, https: https ?? null, exempt };
}

/** The languages of ASR_LANGUAGES that nothing else here writes. */
function readLocal(reader: EnvReader, options: EngineOptions): readonly string[] {
  const known = languagesOf(options)[options.main];
  const local = readLanguages(reader, 'ASR_LANGUAGES', []).filter(
    (language) => !options.routes.has(language) && !known.includes(language),
  );
  for (const language of local.filter((one) => modelFor(one) === null)) {
    reader.complain(`ASR_LANGUAGES: there is no model for '${language}'; see models list`);
  }
  return local;
}

function readTransformers(reader: EnvReader, configured: string | null): TransformersSettings {
  const languages = readLanguages(reader, 'TRANSFORMERS_LANGUAGES', ['sv']);
  return {
    model: reader.text('TRANSFORMERS_MODEL') ?? 'KBLab/kb-whisper-small',
    localModelPath: reader.text('TRANSFORMERS_MODELS'),
    cacheDir: reader.text('TRANSFORMERS_CACHE') ?? '.cache/models',
    languages,
    defaultLanguage: configured ?? languages[0] ?? 'sv',
  };
}

function requireDefaultLanguage(options: EngineOptions, reader: EnvReader): void {
  const { defaultLanguage, main, routes, local } = options;
  if (defaultLanguage === null || routes.has(defaultLanguage)) return;
  if (local.includes(defaultLanguage)) return;
  const known = languagesOf(options)[main];
  if (!known.includes(defaultLanguage)) {
    reader.complain(`ASR_DEFAULT_LANGUAGE is ${defaultLanguage}, which no engine here writes`);
  }
}

function languagesOf(options: EngineOptions): Readonly<Record<EngineName, readonly string[]>> {
  return {
    embedded: ['en'],
    openai: options.openai?.languages ?? [],
    whispercpp: options.whisperCpp?.languages ?? [],
    transformers: options.transformers?.languages ?? [],
  };
}

/** A model of one language needs no telling. */
function defaultOf(languages: readonly string[], configured: string | null): string | null {
  const [only, ...others] = languages;
  return configured ?? (others.length === 0 ? (only ?? null) : null);
}

function timeoutMs(reader: EnvReader, name: VariableName): number {
  return reader.whole(name, 1, MAX_TIMEOUT_S, DEFAULT_TIMEOUT_S) * 1000;
}

function readRoutes(reader: EnvReader): ReadonlyMap<string, EngineName> {
  const routes = new Map<string, EngineName>();
  for (const route of reader.list('ASR_ROUTES')) {
    const [language = '', name = ''] = route.split('=').map((part) => part.trim());
    const engine = ENGINE_NAMES.find((known) => known === name);
    if (!isLanguage(language) || engine === undefined) {
      const engines = ENGINE_NAMES.join(', ');
      reader.complain(
        `ASR_ROUTES must be pairs such as sv=openai with one of ${engines}, not '${route}'`,
      );
    } else if (engine === 'embedded' && language !== 'en') {
      reader.complain(`ASR_ROUTES: the embedded engine writes en only, not '${language}'`);
    } else {
      routes.set(language, engine);
    }
  }
  return routes;
}

function readLanguages(
  reader: EnvReader,
  name: VariableName,
  absent: readonly string[] = WHISPER_LANGUAGES,
): readonly string[] {
  const languages = reader.list(name);
  for (const language of languages) {
    if (!isLanguage(language)) {
      reader.complain(`${name} must be language codes such as sv,en, not '${language}'`);
    }
  }
  return languages.length > 0 ? languages : absent;
}

function readLanguage(reader: EnvReader, name: VariableName): string | null {
  const language = reader.text(name);
  if (language === null || isLanguage(language)) return language;
  reader.complain(`${name} must be a language code such as sv, not '${language}'`);
  return null;
}

const isLanguage = (text: string) => /^[a-z]{2,3}$/.test(text);
