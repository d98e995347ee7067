/*
 * Imports of the engine that files of version 0.2 may have, and what to write instead. '#crud', '#admin' and
 * '#admin/testing' stay.
 */
const MOVED = [
  [/^#crud\/(crud_provider|openapi\/openapi_provider)$/, 'adonis-atrium/provider'],
  [/^#admin\/admin_provider$/, 'adonis-atrium/provider'],
  [/^#host\/host_provider$/, 'adonis-atrium/server_provider'],
  [/^#(crud|admin|host)\/commands\//, 'adonis-atrium/commands'],
  [/^#crud\/mount_middleware$/, 'adonis-atrium/middleware'],
  [/^#crud\/http\/body_parser_middleware$/, 'adonis-atrium/body_parser_middleware'],
  [/^#crud\/http\/initialize_auth_middleware$/, '@adonisjs/auth/initialize_auth_middleware'],
  [/^#crud\/http\/session_middleware$/, '@adonisjs/session/session_middleware'],
  [/^#crud\/database\/limiter_store$/, undefined],
  [/^#crud\/database\//, 'adonis-atrium/database'],
  [/^#host\/testing$/, 'adonis-atrium/testing'],
  [/^#(crud\/http\/node_server|host\/.*)$/, 'adonis-atrium/server'],
  [/^#admin\/authentication\/app_key$/, 'adonis-atrium/server'],
  [/^#admin\/authentication\/redis_store$/, undefined],
  [/^#crud\//, '#crud'],
  [/^#admin\/(?!testing$)/, '#admin'],
  [/^#tests\/(engine|helpers)\//, 'adonis-atrium/testing'],
]

/**
 * One line about an import of the engine that is not public any more; undefined for all others.
 *
 * @param {string} specifier  as in `#crud/crud_provider`
 */
export function movedImport(specifier) {
  const found = MOVED.find(([pattern]) => pattern.test(specifier))
  if (!found) return undefined
  const [, now] = found
  const advice = now ? `import '${now}' instead` : 'it is not needed any more, so remove the import'
  return `'${specifier}' is the engine's own since version 0.3: ${advice} (docs/upgrading.md)`
}
