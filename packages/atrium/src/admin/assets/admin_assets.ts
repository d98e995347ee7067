import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { engineFile } from '#base/engine_file'
import type { AssetStore } from '#base/http/asset_store'

/**
 * Assets of the site. Every page loads admin.css, admin.js, the icon and the font; the others are loaded by the pages
 * that need them.
 */
export const adminAssets = [
  {
    name: 'admin.css',
    paths: [
      own('components.css'),
      own('admin.css'),
      own('list.css'),
      own('values.css'),
      own('filters.css'),
      own('views.css'),
      own('bulk.css'),
      own('print.css'),
    ],
  },
  /* Loaded only by pages that few users open, which keeps the main stylesheet small. */
  {
    name: 'dashboard.css',
    paths: [own('event_marks.css'), own('disclosure.css'), own('dashboard.css'), own('chart.css')],
  },
  /* Dialogs of a list; loaded together with forms.css */
  { name: 'panel.css', paths: [own('disclosure.css'), own('panel.css'), own('filter_form.css')] },
  { name: 'cards.css', paths: [own('markdown.css'), own('drawing.css'), own('cards.css')] },
  {
    name: 'list_groups.css',
    paths: [own('chart.css'), own('drawing.css'), own('list_groups.css')],
  },
  {
    name: 'events.css',
    paths: [
      own('back_link.css'),
      own('event_marks.css'),
      own('job_state.css'),
      own('framed_table.css'),
      own('events.css'),
    ],
  },
  { name: 'banners.css', paths: [own('banners.css')] },
  { name: 'door.css', paths: [own('door.css')] },
  { name: 'search.css', paths: [own('search.css')] },
  { name: 'ui_kit.css', paths: [own('ui_kit.css')] },
  { name: 'tokens.css', paths: [own('framed_table.css'), own('tokens.css')] },
  {
    name: 'webhooks.css',
    paths: [own('job_state.css'), own('framed_table.css'), own('webhooks.css')],
  },
  { name: 'roles.css', paths: [own('roles.css')] },
  { name: 'account.css', paths: [own('account.css')] },
  { name: 'passkeys.css', paths: [own('passkeys.css')] },
  {
    name: 'passkeys.js',
    paths: [
      inPackage('@simplewebauthn/browser', '../dist/bundle/index.umd.min.js'),
      own('passkeys.js'),
    ],
  },
  { name: 'factors.css', paths: [own('factors.css')] },
  { name: 'factors.js', paths: [own('factors.js')] },
  { name: 'bulk_edit.css', paths: [own('bulk_edit.css')] },
  { name: 'list_print.css', paths: [own('list_print.css')] },
  { name: 'import.css', paths: [own('import.css')] },
  { name: 'many_to_many.css', paths: [own('many_to_many.css')] },
  { name: 'records.css', paths: [own('records.css'), own('markdown.css')] },
  {
    name: 'duplicates.css',
    paths: [
      own('back_link.css'),
      own('framed_table.css'),
      own('compare.css'),
      own('duplicates.css'),
      own('markdown.css'),
    ],
  },
  {
    name: 'compare.css',
    paths: [own('back_link.css'), own('framed_table.css'), own('compare.css'), own('markdown.css')],
  },
  { name: 'form_layout.css', paths: [own('form_layout.css')] },
  { name: 'kept.css', paths: [own('kept.css')] },
  { name: 'inlines.css', paths: [own('inlines.css')] },
  /* Stylesheets of form widgets. A form loads those of the widgets that it contains. */
  { name: 'tags_field.css', paths: [own('tags_field.css')] },
  { name: 'markdown_field.css', paths: [own('markdown_field.css'), own('markdown.css')] },
  { name: 'slug_field.css', paths: [own('slug_field.css')] },
  { name: 'colour_field.css', paths: [own('colour_field.css')] },
  { name: 'password_field.css', paths: [own('password_field.css')] },
  { name: 'image_field.css', paths: [own('image_field.css')] },
  { name: 'files_field.css', paths: [own('files_field.css')] },
  {
    name: 'admin.js',
    paths: [
      inPackage('htmx.org/package.json', 'dist/htmx.min.js'),
      own('admin.js'),
      own('toasts.js'),
      own('list.js'),
      own('facets.js'),
      own('later.js'),
      own('keys.js'),
      own('confirm.js'),
    ],
  },
  /* Pages with forms load these files immediately; other pages load them once a form is inserted. */
  {
    name: 'forms.css',
    paths: [
      own('form_components.css'),
      own('disclosure.css'),
      own('choices.css'),
      own('back_link.css'),
      own('forms.css'),
      own('forms_print.css'),
    ],
  },
  {
    name: 'forms.js',
    paths: [
      own('filter_form.js'),
      own('views.js'),
      own('choices.js'),
      own('suggestions.js'),
      own('forms.js'),
    ],
  },
  /* Scripts of dialogs that open over a page; keys.js loads them when a dialog is first opened. */
  { name: 'overlays.js', paths: [own('palette.js'), own('keys_dialog.js')] },
  /* A script with the same base name as a stylesheet is loaded together with it. */
  { name: 'tokens.js', paths: [own('tokens.js')] },
  { name: 'list_print.js', paths: [own('list_print.js')] },
  { name: 'roles.js', paths: [own('roles.js')] },
  { name: 'import.js', paths: [own('import.js')] },
  { name: 'many_to_many.js', paths: [own('many_to_many.js')] },
  ...['tags', 'markdown', 'slug', 'colour', 'image', 'files', 'password'].map((widget) => ({
    name: `${widget}_field.js`,
    paths: [own(`${widget}_field.js`)],
  })),
  { name: 'form_layout.js', paths: [own('form_layout.js')] },
  { name: 'kept.js', paths: [own('drafts.js'), own('session_end.js')] },
  /* A form loads this script when the dialog of a new reference is first opened. */
  { name: 'new_reference.js', paths: [own('new_reference.js')] },
  { name: 'inlines.js', paths: [own('inlines.js')] },
  /* The list loads cells.js and cells.css when a cell is first used. */
  { name: 'cells.js', paths: [own('cells.js')] },
  /* The list loads this script if its rows can be moved. */
  { name: 'order.js', paths: [own('order.js')] },
  { name: 'cells.css', paths: [own('cells.css')] },
  /* The list loads this script when the user selects records. */
  { name: 'bulk.js', paths: [own('bulk.js'), own('all_matching.js'), own('bulk_tasks.js')] },
  { name: 'bulk_edit.js', paths: [own('bulk_edit.js')] },
  { name: 'icon.svg', paths: [own('icon.svg')] },
  { name: 'inter.woff2', paths: [own('inter.woff2')] },
  /* Browsers load this font on pages with characters that inter.woff2 does not have. */
  { name: 'inter-extended.woff2', paths: [own('inter-extended.woff2')] },
]

/** Returns the name of the script that is loaded with an additional stylesheet, or null. */
export function scriptOf(sheet: string): string | null {
  const script = sheet.replace(/\.css$/, '.js')
  return adminAssets.some(({ name }) => name === script) ? script : null
}

/** What a page loads in addition to the assets of every page. */
interface PageAssets {
  /** Names of the stylesheets, separated by spaces */
  parts: string
  /** Names of the files with all stylesheets and all their scripts; null if there are none */
  sheet: string | null
  script: string | null
}

/**
 * Returns the files with a page's additional stylesheets and their scripts.
 *
 * @param names  names of stylesheets; null and undefined are ignored
 */
export function pageAssets(
  store: AssetStore,
  names: ReadonlyArray<string | null | undefined>
): PageAssets {
  const sheets = [...new Set(names.filter((name) => name !== null && name !== undefined))]
  const scripts = sheets.map(scriptOf).filter((name) => name !== null)
  return {
    parts: sheets.join(' '),
    sheet: sheets.length > 0 ? store.bundle(sheets) : null,
    script: scripts.length > 0 ? store.bundle(scripts) : null,
  }
}

function own(file: string): string {
  return engineFile(`assets/admin/${file}`)
}

/**
 * Returns the path of a file in a package. Packages do not export their minified files, so the path is derived from a
 * file that the package exports.
 */
function inPackage(exported: string, file: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(exported)), file)
}
