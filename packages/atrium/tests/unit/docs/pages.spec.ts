import { existsSync, globSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import {
  anchorsOf,
  blocksOf,
  linksOf,
  pages,
  proseOf,
  readPage,
  tableRows,
} from '#tests/helpers/docs/markdown'

const LONGEST_README = 180
const LONGEST_LINE = 100
const LARGEST_IMAGE = 150 * 1024

/** Languages of blocks that a test runs, compares or compiles. */
const RUN = ['sh', 'json', 'text', 'ts', 'edge']

test.group('README', () => {
  test('the README has at most 180 lines of at most 100 characters', ({ assert }) => {
    const lines = readPage('README.md').trimEnd().split('\n')
    assert.isAtMost(lines.length, LONGEST_README)
    assert.deepEqual(
      lines.filter((line) => line.length > LONGEST_LINE),
      []
    )
  })

  test('the first screen of the README states who can call the API', ({ assert }) => {
    const screen = readPage('README.md').split('\n').slice(0, 25).join('\n')
    assert.match(screen, /All clients may call every endpoint in development/)
    assert.match(screen, /In production every\s*>?\s*call needs an access token/)
  })

  test('the image files of the README are small', ({ assert }) => {
    const images = linksOf('README.md').filter(({ target }) => /\.(?:png|webp)$/.test(target))
    assert.lengthOf(images, 2)
    for (const { target } of images) {
      assert.isBelow(statSync(app.makePath(target)).size, LARGEST_IMAGE)
    }
  })
})

test.group('Pages of the documentation', () => {
  test('every link in the documentation leads to a file or a heading that exists', ({ assert }) => {
    const broken = pages().flatMap((page) =>
      linksOf(page)
        .filter(({ target }) => !leadsSomewhere(page, target))
        .map(({ target, line }) => `${page}:${line}: ${target}`)
    )
    assert.deepEqual(broken, [])
  })

  test('the architecture page names only files that exist', ({ assert }) => {
    const root = app.makePath()
    const files = globSync(
      '{packages/atrium/{src,assets,tests,scripts},scripts,bin,config,start}/**/*.{ts,js}',
      {
        cwd: root,
      }
    ).map((path) => `/${path.replaceAll(sep, '/')}`)
    const named = [...readPage('docs/architecture.md').matchAll(/`([\w/.]+\.(?:ts|js))`/g)]
    const missing = named
      .map(([, path]) => path)
      .filter((path) => path !== 'CAPABILITY_routes.ts')
      .filter((path) => !files.some((file) => file.endsWith(`/${path}`)))
    assert.isNotEmpty(named)
    assert.deepEqual(missing, [])
  })

  test('the table of contents lists every page', ({ assert }) => {
    const listed = linksOf('docs/README.md').map(({ target }) => `docs/${target}`)
    const others = pages().filter((page) => !['README.md', 'docs/README.md'].includes(page))
    assert.sameMembers(listed, others)
  })

  test('every code block of the documentation is run, or its fence contains the reason why not', ({
    assert,
  }) => {
    const errors = pages()
      .flatMap(blocksOf)
      .filter(({ language, reason }) =>
        reason === undefined ? !RUN.includes(language) : reason.trim().length < 5
      )
    assert.deepEqual(
      errors.map(({ page, line }) => `${page}:${line}`),
      []
    )
  })

  test('every code block of the documentation is fenced, except for the folder trees of the architecture page', ({
    assert,
  }) => {
    const indented = pages()
      .filter((page) => page !== 'docs/architecture.md')
      .flatMap((page) =>
        proseOf(page).flatMap((line, index) =>
          /^ {4,}\S/.test(line) ? [`${page}:${index + 1}`] : []
        )
      )
    assert.deepEqual(indented, [])
  })

  test('the output of a command is shown directly after that command', ({ assert }) => {
    const lost = pages().flatMap((page) => {
      const blocks = blocksOf(page)
      return blocks.filter(
        ({ language, path }, index) =>
          path === undefined &&
          ['json', 'text'].includes(language) &&
          blocks[index - 1]?.language !== 'sh'
      )
    })
    assert.deepEqual(
      lost.map(({ page, line }) => `${page}:${line}`),
      []
    )
  })

  test('no two pages of the documentation show the same file, because running one would overwrite the other', ({
    assert,
  }) => {
    const paths = pages()
      .flatMap(blocksOf)
      .flatMap(({ path, isAppended }) => (path && !isAppended ? [path] : []))
    assert.lengthOf(paths, new Set(paths).size)
  })

  test('every column of a table in the documentation has a heading', ({ assert }) => {
    for (const row of tableRows('docs/configuration.md', 'Environment')) assert.lengthOf(row, 3)
  })
})

function leadsSomewhere(page: string, target: string): boolean {
  const [path, anchor] = target.split('#')
  const file = path === '' ? page : relative('.', join(dirname(page), path))
  if (!existsSync(app.makePath(file))) return false
  return anchor === undefined || anchorsOf(file).includes(anchor)
}
