import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Assets of every page: one stylesheet, one script, one icon. [B1]
 *
 * The component library is included as a whole. Its single components are written for Tailwind's
 * compiler, so a selection would need a build step; compressed, the whole library is about 20 KB,
 * downloaded once per version.
 */
export const adminAssets = [
  {
    name: 'admin.css',
    paths: [
      inPackage('basecoat-css', 'dist/basecoat.cdn.min.css'),
      own('admin.css'),
      own('recent.css'),
      own('list.css'),
      own('views.css'),
      own('bulk.css'),
      own('choices.css'),
      own('forms.css'),
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
      own('views.js'),
      own('bulk.js'),
      own('choices.js'),
      own('forms.js'),
    ],
  },
  /* A script with the name of a stylesheet comes with it. */
  { name: 'roles.js', paths: [own('roles.js')] },
  { name: 'icon.svg', paths: [own('icon.svg')] },
]

/**
 * Name of the script that comes with an additional stylesheet, if there is one.
 */
export function scriptOf(sheet: string): string | null {
  const script = sheet.replace(/\.css$/, '.js')
  return adminAssets.some(({ name }) => name === script) ? script : null
}

/** `resources` is next to `app` in the production build too. */
function own(file: string): string {
  return fileURLToPath(new URL(`../../../resources/assets/admin/${file}`, import.meta.url))
}

/** The packages do not export their minified files; their location is found through the package. */
function inPackage(name: string, file: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file)
}
