/*
 * What models, routes, configuration and other code of an application import. `adonis-atrium/admin` has the rest of the
 * admin site.
 */
export { AdminView } from '#admin/decorator'
export * from '#crud'
