import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { Machine, Holding } from '#tests/fixtures/forms'

const BOOK = { title: 'Emma', kind: 'book', isbn: '978-0' }

test.group('Admin | form layout', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Holding.query().delete()
    await Machine.query().delete()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  const page = (path: string) => its(get(`/admin/${path}`, { headers: { cookie } }), 'text')
  const create = (fields: Record<string, string>) =>
    sendForm('/admin/Holding/form_create', fields, { cookie })
  const update = (id: number, fields: Record<string, string>) =>
    sendForm(`/admin/Holding/form_update/${id}`, fields, { cookie })
  /** Names of the fields with an error */
  const invalid = (text: string) => Object.keys(formOf(text).errors)
  const tagOf = (text: string, id: string) =>
    new RegExp(`<\\w+[^>]*id="${id}"[^>]*>`).exec(text)![0]

  test('[R1] fields are shown in sections and tabs, and the remaining fields at the end', async ({
    assert,
  }) => {
    const text = await page('Holding/create_page')
    assert.deepEqual(
      Object.keys(formOf(text).values).filter((name) => !name.startsWith('_')),
      ['kind', 'title', 'isbn', 'pages', 'price', 'remark', 'released']
    )
    assert.include(text, '<h2 dir="auto">Print</h2>')
    assert.include(text, '<p class="form-help form-section-help" dir="auto">On paper</p>')
    assert.include(text, 'data-columns="3"')
    assert.include(tagOf(text, 'form-tab-1'), 'data-selected')
    assert.notInclude(tagOf(text, 'form-tab-2'), 'data-selected')
    assert.match(text, /<h2 id="form-tab-2-title" dir="auto">Notes<\/h2>/)
  })

  test('[R1] a collapsed section is expanded only for an error', async ({ assert }) => {
    const { id } = await Holding.create(BOOK)
    assert.notMatch(tagOf(await page(`Holding/update/${id}`), 'form-section-1'), /\sopen/)
    const { status, text } = await update(id, { ...BOOK, pages: '0' })
    assert.equal(status, 400)
    assert.deepEqual(invalid(text), ['pages'])
    assert.match(tagOf(text, 'form-section-1'), /\sopen/)
  })

  test('[R1] an error opens its tab, and the tab is marked', async ({ assert }) => {
    const { status, text } = await create({ ...BOOK, remark: 'x' })
    assert.equal(status, 422)
    assert.deepEqual(invalid(text), ['remark'])
    assert.notInclude(tagOf(text, 'form-tab-1'), 'data-selected')
    assert.include(tagOf(text, 'form-tab-2'), 'data-selected')
    assert.include(tagOf(text, 'form-tab-2'), 'data-errors="1 field to correct"')
  })

  test('[R1, R14, U4] fields that a role hides are in no section, and conditions on them count as met', async ({
    assert,
    cleanup,
  }) => {
    cleanup(() => restoreRoles())
    await makeRole('Blind', { Holding: { actions: ['*'], hidden: ['kind', 'remark'] } })
    const user = await makeUser('clerk')
    await user.merge({ isSuperuser: false }).save()
    await giveRoles(user, ['Blind'])
    cookie = await cookiesOf(user)
    const text = await page('Holding/create_page')
    const names = Object.keys(formOf(text).values).filter((name) => !name.startsWith('_'))
    assert.deepEqual(names, ['title', 'isbn', 'pages', 'price', 'released'])
    assert.notInclude(text, 'Notes')
    assert.notInclude(text, 'data-visible-when')

    const { id } = await Holding.create(BOOK)
    assert.equal(await its(update(id, { title: 'Emma', isbn: 'changed' }), 'status'), 303)
    assert.equal(await its(Holding.findOrFail(id), 'isbn'), 'changed')
  })

  test('[R14, L10] the cell of a field that the record’s form omits can’t be edited', async ({
    assert,
  }) => {
    const film = await Holding.create({ title: 'Vertigo', kind: 'film' })
    const book = await Holding.create(BOOK)
    const statusOf = ({ id }: Holding) =>
      its(get(`/admin/Holding/cell/${id}?field=isbn`, { headers: { cookie } }), 'status')
    assert.equal(await statusOf(film), 403)
    assert.equal(await statusOf(book), 200)
  })

  test('[R14] a field whose visibility condition is not met is not required, and its input is ignored', async ({
    assert,
  }) => {
    const { status } = await create({ title: 'Vertigo', kind: 'film', isbn: '1', pages: 'many' })
    assert.equal(status, 303)
    const film = await Holding.findByOrFail('title', 'Vertigo')
    assert.isNull(film.isbn)
    assert.isNull(film.pages)

    const refused = await create({ title: 'Emma', kind: 'book' })
    assert.equal(refused.status, 422)
    assert.deepEqual(invalid(refused.text), ['isbn'])
    /* The table's default is film. */
    const { status: byDefault } = await create({ title: 'Psycho' })
    assert.equal(byDefault, 303)
  })

  test('[R14] an update does not change fields whose visibility condition is not met', async ({
    assert,
  }) => {
    const { id } = await Holding.create({ ...BOOK, pages: 474 })
    const { status } = await update(id, {
      title: 'Emma',
      kind: 'film',
      isbn: 'other',
      pages__clear: '1',
    })
    assert.equal(status, 303)
    const film = await Holding.findOrFail(id)
    assert.equal(film.kind, 'film')
    assert.equal(film.isbn, '978-0')
    assert.equal(film.pages, 474)

    /* Of a field that was not sent, the record's value counts. */
    assert.equal(await its(update(id, { title: 'Emma', isbn: 'yet another' }), 'status'), 303)
    assert.equal(await its(Holding.findOrFail(id), 'isbn'), '978-0')
    assert.equal(
      await its(update(id, { title: 'Emma', kind: 'ebook', isbn: 'new' }), 'status'),
      303
    )
    assert.equal(await its(Holding.findOrFail(id), 'isbn'), 'new')
  })

  test('[R14] no conditional field is marked required in the page, which has their conditions as data for the script', async ({
    assert,
  }) => {
    const text = await page('Holding/create_page')
    const { tags } = formOf(text)
    assert.notMatch(tags.isbn, /\srequired/)
    assert.include(tags.isbn, 'data-required')
    assert.include(
      text,
      'data-visible-when="{&quot;kind&quot;:[&quot;book&quot;,&quot;ebook&quot;]}"'
    )
    assert.notInclude(text, 'hidden data-visible-when')
  })

  test('units are shown next to the input, and are part of its accessible description', async ({
    assert,
  }) => {
    const text = await page('Holding/create_page')
    assert.include(text, '<span class="form-affix" id="field-price-prefix" dir="auto">$</span>')
    assert.include(
      formOf(text).tags.price,
      'aria-describedby="field-price-prefix field-price-suffix"'
    )
  })

  test('a blank form focuses its first field, and text fields have dir="auto"', async ({
    assert,
  }) => {
    const blank = formOf(await page('Holding/create_page'))
    const focused = Object.entries(blank.tags).filter(([, tag]) => /\sautofocus/.test(tag))
    assert.deepEqual(
      focused.map(([name]) => name),
      ['kind']
    )
    assert.include(blank.tags.title, 'dir="auto"')
    assert.include(blank.tags.remark, 'dir="auto"')
    assert.notInclude(blank.tags.price, 'dir=')
    const { id } = await Holding.create(BOOK)
    const { tags } = formOf(await page(`Holding/update/${id}`))
    assert.notInclude(Object.values(tags).join(), 'autofocus')
  })

  test('the error of a date field contains an example date', async ({ assert }) => {
    const { text } = await create({ ...BOOK, released: 'soon' })
    assert.equal(formOf(text).errors.released, 'Released must be a date, as in 2026-01-31')
  })
})
