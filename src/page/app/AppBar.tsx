import { CloudOff, RefreshCw, WifiOff } from 'lucide-react';
import type { AppStrings } from './app-strings-sv.ts';

export type AppBarProps = {
  readonly strings: AppStrings;
  /** A newer build can be had. */
  readonly isOffered: boolean;
  /** Another tab's newer build has changed the form of what is stored. */
  readonly isOutdated: boolean;
  /** What keeps text from coming now, if anything does. */
  readonly missing: 'network' | 'server' | null;
  /** Dictations that are not text in the person's hands yet. */
  readonly waiting: number;
  /** Something is being recorded, or not text yet. */
  readonly isAtWork: boolean;
  readonly onReload: () => void;
};

/** What a person may know about the page as an app, in one calm line; nothing, most of the time. */
export function AppBar(props: AppBarProps) {
  const { strings, isOffered, isOutdated, isAtWork, missing, waiting, onReload } = props;
  return (
    <div className="app-bar" role="status">
      {missing && (
        <div className="app-line" data-line={`no-${missing}`}>
          {missing === 'network' ? <WifiOff aria-hidden /> : <CloudOff aria-hidden />}
          <p>{strings.missing[missing](waiting)}</p>
        </div>
      )}
      {(isOffered || isOutdated) && (
        <div className="app-line" data-line="update">
          <RefreshCw aria-hidden />
          <p>{updateText(strings, isOutdated, isAtWork)}</p>
          {!isAtWork && (
            <button type="button" className="tool is-outlined" onClick={onReload}>
              {strings.update.reload}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function updateText({ update }: AppStrings, isOutdated: boolean, isAtWork: boolean): string {
  if (isOutdated) return isAtWork ? update.outdatedAtWork : update.outdated;
  return isAtWork ? update.offeredAtWork : update.offered;
}
