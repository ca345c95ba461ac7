const KEY = 'diktera-microphone';

/**
 * The id of the preferred microphone that was heard last, from one load of the page to the next:
 * before it has been asked, Firefox names none, and the first press would have another one.
 */
export type RememberedMicrophone = {
  /** Null when there is none, or nothing may be stored here. */
  read(): string | null;
  /** Null forgets. */
  write(deviceId: string | null): void;
};

/** Kept in the browser's local storage, where that is allowed. */
export const rememberedMicrophone: RememberedMicrophone = {
  read() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
  write(deviceId) {
    try {
      if (deviceId === null) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, deviceId);
    } catch {
      // The second press has the preferred one, as it would without this.
    }
  },
};
