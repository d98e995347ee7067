import vine from '@vinejs/vine'

export const postValidator = vine.create({
  title: vine.string().minLength(3),
  body: vine.string(),
})
