//! Elements of a case file, and how messages name them.

use roxmltree::Node;

use crate::error::excerpt;

pub(super) type Element<'a> = Node<'a, 'a>;

/// The longest excerpt of a name or a number in a message, characters.
pub(super) const WORD: usize = 40;

/// An element's tag for a message.
pub(super) fn tag(element: Element) -> String {
    format!("<{}>", excerpt(element.tag_name().name(), WORD))
}

pub(super) fn elements<'a>(of: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    of.children().filter(Node::is_element)
}

pub(super) fn child<'a>(of: Element<'a>, name: &str) -> Option<Element<'a>> {
    elements(of).find(|element| element.tag_name().name() == name)
}

pub(super) fn is_random(element: Element) -> bool {
    child(element, "random").is_some_and(|it| text_of(it).trim() == "true")
}

/// The text of an element, also around comments.
pub(super) fn text_of(element: Element) -> String {
    let children = element.children().filter(Node::is_text);
    children.filter_map(|it| it.text()).collect()
}
