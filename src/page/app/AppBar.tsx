import { RefreshCw, WifiOff } from 'lucide-react';
import type { AppStrings } from './app-strings-sv.ts';

export type AppBarProps = {
  readonly strings: AppStrings;
  /** A newer build can be had. */
  readonly isOffered: boolean;
  /** Another tab's newer build has changed the form of what is stored. */
  readonly isOutdated: boolean;
  readonly isOffline: boolean;
  /** Dictations that are not text in the person's hands yet. */
  readonly waiting: number;
  /** Something is being recorded, or not text yet. */
  readonly isAtWork: boolean;
  readonly onReload: () => void;
};

/** What a person may know about the page as an app, in one calm line; nothing, most of the time. */
export function AppBar(props: AppBarProps) {
  const { strings, isOffered, isOutdated, isAtWork, isOffline, waiting, onReload } = props;
  return (
    <div className="app-bar" role="status">
      {isOffline && (
        <div className="app-line" data-line="offline">
          <WifiOff aria-hidden />
          <p>{strings.offline(waiting)}</p>
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
