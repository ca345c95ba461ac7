/** Vite turns these imports into the address of a file it serves with an immutable, hashed name. */
declare module '*?url' {
  const url: string;
  export default url;
}

/** A worklet or worker bundled as its own script; the import is its address. */
declare module '*?worker&url' {
  const url: string;
  export default url;
}

/** A style sheet as text, for a shadow tree. */
declare module '*.css?inline' {
  const css: string;
  export default css;
}

/** A style sheet: imported for its effect. */
declare module '*.css' {}

/** Facts about the build, by Vite. */
interface ImportMeta {
  readonly env: { readonly BASE_URL: string };
}
