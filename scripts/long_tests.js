/** Where the engine's suites are */
const FOLDER = 'packages/atrium/tests/'

/**
 * Files that only `npm run test:all` runs, which the release check does: by suite, as below.
 */
export const SCHEDULED = {
  /* Their rules are tested over HTTP as well. */
  browser: [
    'access_tokens',
    'account',
    'bulk',
    'cells',
    'choices',
    'docs',
    'events',
    'history',
    'inlines',
    'layout',
    'list_filters',
    'many_to_many',
    'new_references',
    'related_lists',
    'way_back',
    'widgets',
  ],
  /* Installs all packages of AdonisJS together with the engine */
  process: ['adonis_packages'],
}

/**
 * Files that take long, for continuous integration or by name: by suite, where a name that ends with a slash
 * is a folder. A local run keeps the files that tell most of the rules in the least time.
 */
export const LONG = {
  /* A local run keeps the list, forms, login, dashboard and use without JavaScript. */
  browser: [
    'conflict',
    'import',
    'unsaved_input',
    'keys',
    'pages',
    'palette',
    'role_matrix',
    'rows_together',
    'saved_views',
    'second_factors',
  ],
  /* The same of every route, model, page or name; and random values */
  functional: [
    'admin/attacks',
    'admin/doors',
    'admin/import_attacks',
    'admin/round_trip',
    'admin/round_trip_property',
    'admin/undo_jobs',
    'attacks/',
    'large_responses',
    'openapi/contract',
    'openapi/typed_client',
  ],
  process: [
    'boot_states',
    'demo/existing_tables',
    'demo/jobs',
    'demo/remove',
    'docs/',
    'hosts',
    'large_files',
    'make_crud',
    'npm_test',
    'outside_requests',
    'redis_throttle',
    'settings',
    'two_processes',
    'upgrade',
  ],
}

const isLong = matcherOf(LONG)
const isScheduled = matcherOf(SCHEDULED)

/**
 * @param file  path from the project's root
 * @param includes  what a run includes: `withLong`, and `withScheduled` for all files
 */
export function isIncluded(file, { withLong, withScheduled }) {
  return (withScheduled || !isScheduled(file)) && (withLong || !isLong(file))
}

function matcherOf(suites) {
  const paths = Object.entries(suites).flatMap(([suite, names]) =>
    names.map((name) => `${FOLDER}${suite}/${name}${name.endsWith('/') ? '' : '.spec.ts'}`)
  )
  const files = new Set(paths)
  const folders = paths.filter((path) => path.endsWith('/'))
  return (file) => files.has(file) || folders.some((folder) => file.startsWith(folder))
}
