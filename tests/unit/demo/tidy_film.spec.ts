import { test } from '@japa/runner'
import { readFilms, tidyFilm } from '#database/data/films'

test.group('Films of the source', () => {
  test('a title that was a number becomes text, which is told', ({ assert }) => {
    const [raw] = readFilms()
    const { film, changes } = tidyFilm({ ...raw, Title: 1408 })
    assert.equal(film.title, '1408')
    assert.deepEqual(changes, ['title 1408 was a number'])
  })

  test('a release date that is no date becomes empty', ({ assert }) => {
    const [raw] = readFilms()
    const { film } = tidyFilm({ ...raw, 'Release Date': 'soon' })
    assert.isNull(film.release_date)
  })
})
