import { readFile } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import fc from 'fast-check'
import {
  isSingle,
  KEY_GROUPS,
  KEYS,
  shownKey,
  writtenKeys,
  goKeys,
  PAGE_KEYS,
} from '#admin/keyboard/keys'
import { adminSite } from '#tests/helpers/admin'

const OWN = KEYS.filter(({ isElsewhere }) => !isElsewhere)

const read = (path: string) => readFile(app.makePath(path), 'utf8')

test.group('Keyboard shortcuts', () => {
  test('[L12] the script of keyboard shortcuts has exactly one function for each shortcut', async ({
    assert,
  }) => {
    const script = await read('packages/atrium/assets/admin/keys.js')
    const [, body] = /const does = \{\n(.*?)\n {2}\}\n/s.exec(script)!
    const functions = [...body.matchAll(/^ {4}(\w+)[(:]/gm)].map(([, name]) => name)
    assert.sameMembers(functions, [...new Set(OWN.map(({ does }) => does))])
  })

  test('[L12] a key has the same meaning on all pages', async ({ assert }) => {
    const meanings = new Map<string, Set<string>>()
    for (const { does, keys } of OWN) {
      for (const key of keys) meanings.set(key, (meanings.get(key) ?? new Set()).add(does))
    }
    for (const [key, names] of meanings) assert.equal(names.size, 1, key)
  })

  test('[L12] without single-key shortcuts, those with Ctrl remain', async ({ assert }) => {
    assert.equal(writtenKeys(false), 'Mod+/ help Mod+k palette Mod+s save Mod+Enter save')
    const names = writtenKeys(true).split(' ')
    assert.lengthOf(names, 2 * new Set(OWN.flatMap(({ keys }) => keys)).size)
    assert.isTrue(KEYS.some(({ keys }) => keys.some(isSingle)))
  })

  test('[L12] a shortcut is shown as a list of its keys: {0}')
    .with([
      ['Mod+s', 'Ctrl S'],
      ['Mod+Enter', 'Ctrl Enter'],
      ['X', 'Shift x'],
      ['Alt+ArrowUp', 'Alt ↑'],
      ['Escape', 'Esc'],
      ['ArrowRight', '→'],
      ['?', '?'],
      ['j', 'j'],
    ])
    .run(({ assert }, [key, shown]) => {
      assert.equal(shownKey(key).join(' '), shown)
    })

  test('[L12] the documentation has the table of all keys', async ({ assert }) => {
    const site = await adminSite()
    const rows = KEY_GROUPS.flatMap((group) => [
      `| **${site.text(`keys.${group}.label`)}** | |`,
      ...KEYS.filter((key) => key.group === group).map(({ does, keys }) => {
        const shown = keys.map((key) =>
          shownKey(key)
            .map((part) => `\`${part}\``)
            .join(' ')
        )
        return `| ${shown.join(' or ')} | ${site.text(`keys.${group}.${does}`)} |`
      }),
    ])
    const docs = await read('docs/lists.md')
    assert.include(docs, rows.join('\n'))
  })
})

test.group('goKeys()', () => {
  test('[L12] a model gets the first unused letter of its label', ({ assert }) => {
    assert.deepEqual(goKeys(['Films', 'Fees', 'Älteste', 'Products', 'Fff']), [
      'f',
      's',
      'l',
      'p',
      '1',
    ])
    assert.deepEqual(goKeys(['Заказы', '注文', '42']), ['1', '2', '3'])
  })

  test('[L12] no two models have the same key, and none has the key of a page of the site', ({
    assert,
  }) => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 60 }), (labels) => {
        const keys = goKeys(labels)
        assert.lengthOf(keys, labels.length)
        const given = [...keys.filter((key) => key !== null), ...Object.values(PAGE_KEYS)]
        assert.lengthOf(new Set(given), given.length)
        for (const key of given) assert.match(key, /^[a-z1-9]$/)
      })
    )
  })
})
