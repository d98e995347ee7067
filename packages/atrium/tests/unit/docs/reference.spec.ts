import { readFileSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import * as admin from '../../../src/admin.js'
import * as types from '../../../src/crud/types.js'
import * as database from '../../../src/database.js'
import * as main from '../../../src/index.js'
import * as server from '../../../src/server.js'
import * as testing from '../../../src/testing.js'
import { blocksOf, namesIn, tableRows } from '#tests/helpers/docs/markdown'

const PAGE = 'docs/reference.md'
const MOST_VALUES = 70

const PUBLIC: Record<string, object> = {
  '.': main,
  './admin': admin,
  './database': database,
  './testing': testing,
  './server': server,
  './types': types,
}

/** Subpaths that files of AdonisJS name (adonisrc.ts, start/kernel.ts) and no code of an application imports */
const NAMED_BY_FILES = [
  './provider',
  './server_provider',
  './commands',
  './middleware',
  './body_parser_middleware',
  './package.json',
]

/** What `node ace configure` reads */
const OF_CONFIGURE = ['configure', 'stubsRoot']

function valuesOf(path: string): Array<[name: string, value: unknown]> {
  return Object.entries(PUBLIC[path]).filter(([name]) => !OF_CONFIGURE.includes(name))
}

function headingOf(path: string): string {
  return path === '.' ? 'adonis-atrium' : `adonis-atrium/${path.slice(2)}`
}

/** Names that the examples of the page import from a path */
function usedFrom(name: string): Set<string> {
  const code = blocksOf(PAGE)
    .filter(({ language, reason }) => language === 'ts' && reason === undefined)
    .map(({ text }) => text)
    .join('\n')
  const lists = [...code.matchAll(/import \{([^}]*)\} from '([^']+)'/g)]
  return new Set(
    lists
      .filter(([, , source]) => source === name)
      .flatMap(([, list]) => list.split(','))
      .map((one) => one.trim().split(' as ')[0])
  )
}

test.group('docs/reference.md', () => {
  test('[K6] docs/reference.md lists all values of each import path, and no others', ({
    assert,
  }) => {
    for (const path of Object.keys(PUBLIC)) {
      const rows = path === './types' ? [] : tableRows(PAGE, headingOf(path))
      assert.sameMembers(
        rows.flatMap(([first]) => namesIn(first)),
        valuesOf(path).map(([name]) => name),
        path
      )
    }
  })

  test('[K6] docs/reference.md describes input, output, exceptions and rule of each value', ({
    assert,
  }) => {
    for (const path of Object.keys(PUBLIC).filter((one) => one !== './types')) {
      const empty = tableRows(PAGE, headingOf(path)).filter(
        (cells) => cells.length !== 4 || cells.some((cell) => cell === '')
      )
      assert.deepEqual(empty, [])
    }
  })

  test('[K6] docs/reference.md imports each public value in an example', ({ assert }) => {
    const used = new Map(
      Object.keys(PUBLIC).map((path) => [path, usedFrom(headingOf(path))] as const)
    )
    const inAny = (value: unknown) =>
      Object.keys(PUBLIC).some((path) =>
        valuesOf(path).some(([name, one]) => one === value && used.get(path)!.has(name))
      )
    const missing = Object.keys(PUBLIC).flatMap((path) =>
      valuesOf(path).filter(([, value]) => !inAny(value))
    )
    assert.deepEqual(
      missing.map(([name]) => name),
      []
    )
  })
})

test.group('Public API', () => {
  test('[K6] the public API has at most 70 values', ({ assert }) => {
    const values = new Set(
      Object.keys(PUBLIC).flatMap((path) => valuesOf(path).map((one) => one[1]))
    )
    assert.isAtMost(values.size, MOST_VALUES)
  })

  test('[K6] the package has only the subpaths of the reference and those that files of AdonisJS name', ({
    assert,
  }) => {
    const file = app.makePath('packages/atrium/package.json')
    const paths = Object.keys(JSON.parse(readFileSync(file, 'utf8')).exports)
    assert.sameMembers(paths, [...Object.keys(PUBLIC), ...NAMED_BY_FILES])
  })
})
