/**
 * Version of Atrium itself, as in CHANGELOG.md. The `version` of package.json is the application's.
 */
export const VERSION = '0.2.0'
