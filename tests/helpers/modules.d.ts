/** Its own types are of a form that this project's compiler does not take. */
declare module '@editorjs/editorjs/dist/editorjs.mjs' {
  export default class EditorJS {
    constructor(options: { readonly holder: HTMLElement; readonly minHeight: number });
    readonly isReady: Promise<void>;
    destroy(): void;
  }
}

declare module '*.md?raw' {
  const text: string;
  export default text;
}
