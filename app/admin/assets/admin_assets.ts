import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Assets of every page: one stylesheet, one script, one icon. [B1]
 */
export const adminAssets = [
  {
    name: 'admin.css',
    paths: [
      own('components.css'),
      own('admin.css'),
      own('recent.css'),
      own('list.css'),
      own('filters.css'),
      own('bulk.css'),
      own('choices.css'),
      own('forms.css'),
      own('search.css'),
      own('print.css'),
    ],
  },
  /* Pages that few people open load this in addition, which keeps the main stylesheet small. */
  { name: 'events.css', paths: [own('events.css')] },
  { name: 'tokens.css', paths: [own('tokens.css')] },
  { name: 'roles.css', paths: [own('roles.css')] },
  {
    name: 'admin.js',
    paths: [
      inPackage('htmx.org', 'dist/htmx.min.js'),
      own('admin.js'),
      own('list.js'),
      own('filters.js'),
      own('bulk.js'),
      own('all_matching.js'),
      own('choices.js'),
      own('forms.js'),
      own('roles.js'),
      own('palette.js'),
    ],
  },
  { name: 'icon.svg', paths: [own('icon.svg')] },
]

/** `resources` is next to `app` in the production build too. */
function own(file: string): string {
  return fileURLToPath(new URL(`../../../resources/assets/admin/${file}`, import.meta.url))
}

/** The package does not export its minified file; its location is found through the package. */
function inPackage(name: string, file: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file)
}
