/** The worker's database, one for all tabs of an origin. */
export const DATABASE_NAME = 'diktera';

/**
 * The version of its form. A database of an older form is deleted: none was released. One that a
 * newer Diktera wrote does not open, and is left alone.
 */
export const DATABASE_VERSION = 3;
