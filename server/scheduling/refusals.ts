import { ApiError } from '../core/api-error.ts';

/** Says that nothing new is begun here; another server, or this one soon, will take it. */
export const shuttingDown = () =>
  new ApiError(503, 'shutting_down', 'The server is shutting down; try again shortly.', {
    retryAfterS: 5,
  });

/** Says that there is no room; the client keeps its audio and tries again. */
export const queueFull = () =>
  new ApiError(503, 'queue_full', 'Too many transcriptions are waiting; try again shortly.', {
    retryAfterS: 5,
  });

/** Says that a preview would come too late to be of use. */
export const noTimeForPreviews = () =>
  new ApiError(503, 'queue_full', 'There is no time for previews now; try again shortly.', {
    retryAfterS: 2,
  });

/** Says that a preview shows less than the one after it. */
export const previewReplaced = () =>
  new ApiError(503, 'preview_replaced', 'A newer preview of this client has come.', {
    retryAfterS: 1,
  });
