/** Where the engine's suites are */
const FOLDER = 'packages/atrium/tests/'

/**
 * Files that take long, for continuous integration or by name: by suite, where a name that ends with a slash
 * is a folder. A local run keeps the files that tell most of the rules in the least time.
 */
export const LONG = {
  /* Their rules are tested over HTTP as well. A local run keeps the list, forms, login, dashboard and use without JavaScript. */
  browser: [
    'access_tokens',
    'account',
    'bulk',
    'cells',
    'choices',
    'conflict',
    'docs',
    'events',
    'history',
    'import',
    'inlines',
    'kept_forms',
    'keys',
    'layout',
    'list_filters',
    'many_to_many',
    'new_beside',
    'pages',
    'palette',
    'related_lists',
    'role_matrix',
    'rows_together',
    'saved_views',
    'second_factors',
    'way_back',
    'widgets',
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
    'large_answers',
    'openapi/contract',
    'openapi/typed_client',
  ],
  process: [
    'adonis_packages',
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

const FILES = new Set()
const FOLDERS = []
for (const [suite, names] of Object.entries(LONG)) {
  for (const name of names) {
    if (name.endsWith('/')) FOLDERS.push(`${FOLDER}${suite}/${name}`)
    else FILES.add(`${FOLDER}${suite}/${name}.spec.ts`)
  }
}

/** @param file  path from the project's root */
export function takesLong(file) {
  return FILES.has(file) || FOLDERS.some((folder) => file.startsWith(folder))
}
