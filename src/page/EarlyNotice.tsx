import { TriangleAlert } from 'lucide-react';
import type { InterfaceLanguage } from '../widget/interface-language.ts';
import { pageStringsIn } from './page-strings.ts';

/** For when the page's script never comes; drawn by the build, for `createEarlyTools`. */
export function EarlyNotice({ language }: { readonly language: InterfaceLanguage }) {
  const { title, advice } = pageStringsIn(language).scriptMissing;
  return (
    <div className="notice">
      <TriangleAlert aria-hidden />
      <p>
        <strong>{`${title}.`}</strong>
        <span>{` ${advice}`}</span>
      </p>
    </div>
  );
}
