import { globSync, readFileSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { readPage } from '#tests/helpers/docs/markdown'

const PAGE = 'docs/behaviour.md'
const LONGEST_ROW = 300
const ID = /^[A-Z]\d+$/

interface Row {
  /** As in `A18.2`; several if the row concerns several rules */
  id: string
  text: string
}

function rows(): Row[] {
  return readPage(PAGE)
    .split('\n')
    .filter((line) => /^\| [A-Z]\d/.test(line))
    .map((line) => ({ id: /^\| ([^|]+?) \|/.exec(line)![1], text: line }))
}

/** Rules of a row: `B9, A29.2` is a part of B9 and of A29. */
function rulesOf({ id }: Row): string[] {
  return id.split(', ').map((one) => one.split('.')[0])
}

/** Rules in titles of tests and groups, with a file of each */
function named(): Map<string, string> {
  const files = globSync('{packages/atrium/tests,tests}/**/*.spec.ts', { cwd: app.makePath() })
  const ids = new Map<string, string>()
  for (const path of files) {
    const text = readFileSync(app.makePath(path), 'utf8')
    for (const [, list] of text.matchAll(/['"`]\[([A-Z]\d+(?:, ?[A-Z]\d+)*)\]/g)) {
      for (const id of list.split(/, ?/)) if (ID.test(id)) ids.set(id, path)
    }
  }
  return ids
}

test.group('docs/behaviour.md', () => {
  test('a row of a table in docs/behaviour.md has at most 300 characters', ({ assert }) => {
    const long = rows().filter(({ text }) => text.length > LONGEST_ROW)
    assert.deepEqual(
      long.map(({ id }) => id),
      []
    )
    assert.isAbove(rows().length, 300)
  })

  test('every id of a rule is unique', ({ assert }) => {
    const ids = rows().map(({ id }) => id)
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
    assert.deepEqual(repeated, [])
  })

  test('every rule id in a test title is documented', ({ assert }) => {
    const known = new Set(rows().flatMap(rulesOf))
    const missing = [...named()].filter(([id]) => !known.has(id))
    assert.deepEqual(missing, [])
  })

  test('every documented rule id is in a test title', ({ assert }) => {
    const ids = named()
    const untested = new Set(
      rows()
        .flatMap(rulesOf)
        .filter((id) => !ids.has(id))
    )
    assert.deepEqual([...untested], [])
  })
})
