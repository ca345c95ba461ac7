/** The worker's database, one for all tabs of an origin. */
export const DATABASE_NAME = 'diktera';

/**
 * The form of what it holds. What has an older form is deleted: none was released. A database that a
 * newer Diktera wrote does not open, and is left alone.
 */
export const DATABASE_VERSION = 3;
