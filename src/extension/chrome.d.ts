/** The part of Chrome's interface for extensions that is used here. */
declare namespace chrome {
  type Listeners<Args extends readonly unknown[], Answer = void> = {
    addListener(listener: (...args: Args) => Answer): void;
    removeListener(listener: (...args: Args) => Answer): void;
  };

  namespace runtime {
    /** Undefined in a content script whose extension was updated or removed. */
    const id: string | undefined;
    const lastError: { readonly message?: string } | undefined;
    type Port = {
      readonly name: string;
      readonly sender?: MessageSender;
      readonly onMessage: Listeners<[message: unknown]>;
      readonly onDisconnect: Listeners<[port: Port]>;
      postMessage(message: unknown): void;
      disconnect(): void;
    };
    type MessageSender = {
      readonly id?: string;
      readonly origin?: string;
      readonly url?: string;
      readonly tab?: tabs.Tab;
      readonly frameId?: number;
    };
    const onConnect: Listeners<[port: Port]>;
    /** An answer of true: `answer` is called later. */
    const onMessage: Listeners<
      [message: unknown, sender: MessageSender, answer: (value: unknown) => void],
      boolean | undefined
    >;
    const onInstalled: Listeners<[details: { readonly reason: string }]>;
    function connect(info: { readonly name: string }): Port;
    function sendMessage(message: unknown): Promise<unknown>;
    function getURL(path: string): string;
    function openOptionsPage(): Promise<void>;
    function getContexts(filter: {
      readonly contextTypes: readonly string[];
    }): Promise<readonly { readonly documentUrl?: string }[]>;
  }

  namespace tabs {
    type Tab = { readonly id?: number; readonly url?: string };
    function query(filter: {
      readonly active?: boolean;
      readonly currentWindow?: boolean;
      readonly url?: string;
    }): Promise<readonly Tab[]>;
    function create(properties: { readonly url: string }): Promise<Tab>;
    function update(tabId: number, properties: { readonly active: boolean }): Promise<Tab>;
    function sendMessage(
      tabId: number,
      message: unknown,
      options?: { readonly frameId?: number },
    ): Promise<unknown>;
  }

  namespace action {
    function setBadgeText(details: { readonly text: string }): Promise<void>;
    function setBadgeBackgroundColor(details: { readonly color: string }): Promise<void>;
    function setTitle(details: { readonly title: string }): Promise<void>;
  }

  namespace commands {
    const onCommand: Listeners<[command: string, tab?: tabs.Tab]>;
    function getAll(): Promise<readonly { readonly name?: string; readonly shortcut?: string }[]>;
  }

  namespace offscreen {
    function createDocument(parameters: {
      readonly url: string;
      readonly reasons: readonly string[];
      readonly justification: string;
    }): Promise<void>;
    function closeDocument(): Promise<void>;
  }

  namespace permissions {
    type Permissions = { readonly origins: readonly string[] };
    function request(permissions: Permissions): Promise<boolean>;
    function remove(permissions: Permissions): Promise<boolean>;
    function contains(permissions: Permissions): Promise<boolean>;
    const onAdded: Listeners<[permissions: unknown]>;
    const onRemoved: Listeners<[permissions: unknown]>;
  }

  namespace scripting {
    type RegisteredScript = {
      readonly id: string;
      readonly js: readonly string[];
      readonly matches: readonly string[];
      readonly allFrames: boolean;
      readonly matchOriginAsFallback: boolean;
      readonly runAt: 'document_start';
    };
    function registerContentScripts(scripts: readonly RegisteredScript[]): Promise<void>;
    function unregisterContentScripts(filter: { readonly ids: readonly string[] }): Promise<void>;
    function getRegisteredContentScripts(): Promise<readonly RegisteredScript[]>;
    type Injection = {
      readonly target: { readonly tabId: number; readonly allFrames: boolean };
      readonly injectImmediately: boolean;
    };
    function executeScript(
      injection: Injection &
        ({ readonly files: readonly string[] } | { readonly func: () => unknown }),
    ): Promise<readonly { readonly frameId: number; readonly result?: unknown }[]>;
  }

  namespace i18n {
    function getUILanguage(): string;
  }

  namespace storage {
    type Area = {
      get(key: string | readonly string[] | null): Promise<Readonly<Record<string, unknown>>>;
      set(items: Readonly<Record<string, unknown>>): Promise<void>;
      setAccessLevel(level: { readonly accessLevel: 'TRUSTED_CONTEXTS' }): Promise<void>;
    };
    const local: Area;
    /** The policy of an organisation; empty where the browser is not managed. */
    const managed: Area;
    const onChanged: Listeners<[changes: Readonly<Record<string, unknown>>, area: string]>;
  }
}
