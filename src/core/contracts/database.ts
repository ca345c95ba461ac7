/** The worker's database, one for all tabs of an origin. */
export const DATABASE_NAME = 'diktera';

/**
 * The form of what it holds. An upgrade deletes nothing that waits; a database that a newer Diktera
 * wrote does not open, and is left alone.
 */
export const DATABASE_VERSION = 1;
