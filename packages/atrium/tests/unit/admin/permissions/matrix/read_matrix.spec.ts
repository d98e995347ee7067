import { test } from '@japa/runner'
import fc from 'fast-check'
import { AdminSite } from '#admin'
import app from '@adonisjs/core/services/app'
import { readPermissions, type PermissionsDocument } from '#admin/models/permissions_document'
import { matrixMore, matrixView, type MatrixBox } from '#admin/roles/matrix/matrix_view'
import {
  inputName,
  readInputName,
  readFolded,
  readMatrix,
  unfoldedIn,
} from '#admin/roles/matrix/read_matrix'
import { runs } from '#tests/helpers/random_runs'

const FIELD = 'permissions'

/** Texts that a browser sends of the matrix of a document, if the user only unfolds some rows. */
function sentOf(
  site: AdminSite,
  document: PermissionsDocument,
  isUnfolded: (model: string) => boolean
): Map<string, string[]> {
  const sent = new Map<string, string[]>([[`${FIELD}.matrix`, ['1']]])
  const send = ({ name, value, checked }: MatrixBox) => {
    if (checked) sent.set(name, [...(sent.get(name) ?? []), value])
  }
  for (const row of matrixView(site, FIELD, document).groups.flatMap(({ rows }) => rows)) {
    for (const box of [row.own, row.all, ...row.actions]) if (box) send(box)
    if (!isUnfolded(row.model)) {
      sent.set(row.kept.name, [row.kept.value])
      continue
    }
    const more = matrixMore(site, FIELD, row.model, readFolded(row.kept.value))
    const states = more.fields.flatMap((field) => field.states)
    for (const box of [...more.others, ...more.records, ...more.scopes, ...states]) send(box)
    sent.set(more.open, ['1'])
  }
  return sent
}

test.group('Permissions | role matrix', () => {
  const name = fc
    .oneof(
      fc.constantFrom(
        'Reel',
        'title',
        'view',
        'delete',
        '*',
        'own',
        'a.b',
        '%2E',
        'a b',
        ' ',
        '__proto__',
        'constructor'
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    )
    .filter((text) => !/[\u0000-\u001f\u007f]/.test(text)) // eslint-disable-line no-control-regex
  const names = fc.array(name, { maxLength: 5 })
  const entry = fc.record(
    { actions: names, hidden: names, readonly: names, scopes: names },
    { requiredKeys: ['actions'] }
  )
  const documents = fc
    .array(fc.tuple(name, entry), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries))

  test('[U6] random permissions are unchanged after the form has submitted them', async ({
    assert,
  }) => {
    const site = await app.container.make(AdminSite)
    fc.assert(
      fc.property(documents, fc.infiniteStream(fc.boolean()), (given, coins) => {
        const document = readPermissions(given)
        const isUnfolded = () => coins.next().value as boolean
        const back = readMatrix(FIELD, sentOf(site, document, isUnfolded))
        assert.deepEqual(JSON.stringify(readPermissions(back)), JSON.stringify(document))
      }),
      { numRuns: runs(300) }
    )
  })

  test('[U6] the name of an input is parsed to part, model and field, whatever characters their names have', ({
    assert,
  }) => {
    fc.assert(
      fc.property(name, name, (model, field) => {
        const input = inputName(FIELD, 'field', model, field)
        assert.deepEqual(readInputName(FIELD, input), { part: 'field', model, name: field })
        assert.match(input, /^permissions\.field\.[^.]+\.[^.]+$/)
      })
    )
    for (const input of [
      'permissions',
      'permissions.own',
      'permissions.a.b.c.d',
      'permissions.own.%',
    ]) {
      assert.isNull(readInputName(FIELD, input), input)
    }
  })

  test('[U6] a row without checked boxes follows “All models”, and one with checked boxes has its own rules', ({
    assert,
  }) => {
    const read = (sent: Record<string, string>) =>
      readMatrix(FIELD, new Map(Object.entries(sent).map(([key, value]) => [key, [value]])))
    const matrix = { 'permissions.matrix': '1' }
    assert.isUndefined(read({ permissions: '{}' }))
    assert.deepEqual(read(matrix), {})
    assert.deepEqual(
      read({ ...matrix, 'permissions.records.Reel': 'all', 'permissions.field.Reel.title': '' }),
      {}
    )
    const nothing = { actions: [], hidden: [], readonly: [] }
    assert.deepEqual(read({ ...matrix, 'permissions.own.Reel': '1' }), { Reel: nothing })
    assert.deepEqual(read({ ...matrix, 'permissions.records.Reel': 'chosen' }), {
      Reel: { ...nothing, scopes: [] },
    })
  })

  test('[U6] a checked scope applies even if “all records” is selected, too', ({ assert }) => {
    const sent = new Map([
      ['permissions.matrix', ['1']],
      ['permissions.records.Reel', ['all']],
      ['permissions.scopes.Reel', ['own']],
      ['permissions.actions.Reel', ['view']],
    ])
    assert.deepEqual(readMatrix(FIELD, sent)!.Reel.scopes, ['own'])
  })

  test('[U6] an invalid value of a collapsed row is an error, and is not ignored', ({ assert }) => {
    for (const text of [
      '{',
      '[1]',
      '{"hidden":"title"}',
      '{"more":[]}',
      '"view"',
      '{"actions":5}',
    ]) {
      const sent = new Map([
        ['permissions.matrix', ['1']],
        ['permissions.kept.Reel', [text]],
      ])
      assert.throws(() => readPermissions(readMatrix(FIELD, sent)), /Reel/, text)
    }
  })

  test('[U6] an expanded row of the matrix stays expanded, and the row whose button was pressed gets the focus', ({
    assert,
  }) => {
    const sent = new Map([
      ['permissions.open.Reel', ['1']],
      ['permissions.open.a%2Eb', ['now']],
      ['permissions.own.Utensil', ['1']],
    ])
    assert.deepEqual(
      [...unfoldedIn(FIELD, sent)],
      [
        ['Reel', false],
        ['a.b', true],
      ]
    )
  })
})
