import { strToU8, zipSync } from 'fflate';

// The least that a document is made of (ECMA-376): its parts' types, which of them is the document, and
// that. Fonts and margins are those of whoever opens it.
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
const WORDS = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const DOCUMENT = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const RELATIONS = 'application/vnd.openxmlformats-package.relationships+xml';

const TYPES = `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="${RELATIONS}"/><Override PartName="/word/document.xml" ContentType="${DOCUMENT}"/></Types>`;
const TOP = `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}" Target="word/document.xml"/></Relationships>`;

/** A document for word processors with a paragraph for each line of the texts. */
export function docxOf(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const lines = texts.flatMap((text) => text.split('\n'));
  const body = lines.map(
    (line) => `<w:p><w:r><w:t xml:space="preserve">${escaped(line)}</w:t></w:r></w:p>`,
  );
  const document = `${DECLARATION}<w:document xmlns:w="${WORDS}"><w:body>${body.join('')}</w:body></w:document>`;
  const zipped = zipSync({
    // First, as some programs want it.
    '[Content_Types].xml': strToU8(TYPES),
    '_rels/.rels': strToU8(TOP),
    'word/document.xml': strToU8(document),
  });
  return new Uint8Array(zipped);
}

/** XML has no way to write most control characters. */
function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
      .replaceAll(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}
