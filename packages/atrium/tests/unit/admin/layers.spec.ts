import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

/* Lower the limits when imports go. */
const UPWARDS_MAX = 30
const WHOLE_SITE_MAX = 1

const ADMIN = app.makePath('packages/atrium/src/admin')
const WHOLE_SITE = 'admin_site.ts'

/** The folders in the order of docs/architecture.md, the lowest last; the first is that of the files without a folder */
function layers(): string[] {
  const docs = readFileSync(app.makePath('docs/architecture.md'), 'utf8')
  const [, list] = /## Layers of the admin site[^]*?\n\n((?: {4}.+\n)+)/.exec(docs) ?? []
  return ['.', ...(list ?? '').split(/\s+/).filter(Boolean)]
}

function sources(): string[] {
  const paths = readdirSync(ADMIN, { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => path.endsWith('.ts')).map((path) => path.replaceAll(sep, '/'))
}

/** Imports of each file within the site, as paths below its folder */
function imports(): Array<[from: string, to: string]> {
  return sources().flatMap((from) => {
    const text = readFileSync(join(ADMIN, from), 'utf8')
    return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g)].map(
      ([, path]): [string, string] => {
        const to = relative(ADMIN, resolve(join(ADMIN, dirname(from)), `${path}.ts`))
        return [from, to.replaceAll(sep, '/')]
      }
    )
  })
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '.'
}

test.group('Layers of the admin site', () => {
  test('the architecture page lists each folder of the admin site', ({ assert }) => {
    const folders = new Set(sources().map(folderOf))
    assert.sameMembers(layers(), [...folders])
  })

  test('the number of imports from upper folders does not grow', ({ assert }) => {
    const order = layers()
    const isUpward = ([from, to]: [string, string]) =>
      to !== WHOLE_SITE && order.indexOf(folderOf(to)) < order.indexOf(folderOf(from))
    const upward = imports().filter(isUpward)
    assert.isAtMost(upward.length, UPWARDS_MAX, upward.map((one) => one.join(' -> ')).join('\n'))
  })

  test('the number of files that depend on the whole site does not grow', ({ assert }) => {
    const takers = imports().filter(([from, to]) => to === WHOLE_SITE && folderOf(from) !== '.')
    assert.isAtMost(takers.length, WHOLE_SITE_MAX)
  })
})
