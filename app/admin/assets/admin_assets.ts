import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * What the pages of the site load: one stylesheet, one script, one icon. [B1]
 *
 * The component library is taken whole. Its single components are written for Tailwind's compiler, so
 * a choice of them would need a build step; compressed, the whole is some 20 KB, once for each version.
 */
export const adminAssets = [
  {
    name: 'admin.css',
    paths: [
      inPackage('basecoat-css', 'dist/basecoat.cdn.min.css'),
      own('admin.css'),
      own('lately.css'),
      own('list.css'),
      own('bulk.css'),
      own('choices.css'),
      own('forms.css'),
    ],
  },
  /* Pages that few people see load it beside the other, which so stays small for all. */
  { name: 'events.css', paths: [own('events.css')] },
  { name: 'tokens.css', paths: [own('tokens.css')] },
  {
    name: 'admin.js',
    paths: [
      inPackage('htmx.org', 'dist/htmx.min.js'),
      own('admin.js'),
      own('list.js'),
      own('bulk.js'),
      own('choices.js'),
      own('forms.js'),
    ],
  },
  { name: 'icon.svg', paths: [own('icon.svg')] },
]

/** In the production build too, `resources` lies beside `app`. */
function own(file: string): string {
  return fileURLToPath(new URL(`../../../resources/assets/admin/${file}`, import.meta.url))
}

/** The packages export no minified files, but all of them say where they are. */
function inPackage(name: string, file: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file)
}
